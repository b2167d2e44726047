# What the programs are linked with: every library that they name, in a document whose parts fit.
command -v dpkg-query readelf > which || { echo "skip: no dpkg-query or readelf"; exit 77; }
if nm -D "$BUILD/libbasin.so" | grep -q "__[at]san"; then
    echo "skip: sanitizers are linked as well"
    exit 77
fi
"$TOP/tools/sbom" "$BUILD" > sbom.json && "$TOP/tools/sbom" "$BUILD" | cmp - sbom.json && echo "twice the same"
/usr/bin/python3 - sbom.json << 'END'
import json
import sys

with open(sys.argv[1]) as f:
    document = json.load(f)
names = {p["SPDXID"]: p["name"] for p in document["packages"]}
print(document["spdxVersion"], len(names) == len(document["packages"]))
for r in document["relationships"]:
    for end in (r["spdxElementId"], r["relatedSpdxElement"]):
        if end not in names and end != "SPDXRef-DOCUMENT":
            print("not in the list:", end)
direct = {names[r["relatedSpdxElement"]] for r in document["relationships"] if r["spdxElementId"] == "SPDXRef-basin"}
print({"libarchive13", "libjansson4", "libc6"} <= direct, [n for n in direct if "openblas" in n])
END
