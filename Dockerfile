# The tool, without what it takes to build it. Files are those of the folder /data:
#
#   docker build -t basin .
#   docker run --rm --user "$(id -u)" -v "$PWD:/data" basin train rows.arff -o run
FROM debian:12-slim AS build
COPY . /src/
WORKDIR /src
RUN apt-get update && \
    apt-get install -y --no-install-recommends build-essential && \
    apt-get build-dep -y --no-install-recommends /src
RUN make deb

FROM debian:12-slim
COPY --from=build /src/build/deb/basin_*.deb /opt/
RUN apt-get update && \
    apt-get install -y --no-install-recommends /opt/basin_*.deb && \
    rm -rf /var/lib/apt/lists/* /opt/basin_*.deb && \
    useradd --create-home basin
LABEL org.opencontainers.image.title="basin" \
      org.opencontainers.image.licenses="MIT"
USER basin
WORKDIR /data
ENTRYPOINT ["basin"]
CMD ["--help"]
