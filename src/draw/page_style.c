/* page_style.c -- how pages look: variables for light and dark, then everything made of them.
 *
 * The colours --c0 to --c7 follow the palette of Okabe and Ito (2008), which stays apart for
 * people who see few colours, darkened or lightened until it reads on both grounds. */
#include "draw/page_part.h"

#define LIGHT                                                                                      \
    "--bg:#fff;--ink:#1c2430;--head:#47525f;--soft:#5b6675;--faint:#6e7988;--line:#e3e8ee;"        \
    "--rule:#c9d1da;--panel:#f7f9fb;--grid:#e6eaef;--good:#17693a;--bad:#a3312a;--goodbg:#e2f3e8;" \
    "--badbg:#fbe7e4;--notebg:#fff6dc;--noteline:#d9a400;--pos:#c74a00;--neg:#0067a5;"             \
    "--c0:#0072b2;--c1:#d55e00;--c2:#00875f;--c3:#b8609a;--c4:#b07a00;--c5:#3a9bd6;--c6:#5f6773;"  \
    "--c7:#8a5a2b;color-scheme:light;"
#define DARK                                                                                       \
    "--bg:#12161c;--ink:#e4e9ef;--head:#b3bdc9;--soft:#98a3b1;--faint:#8994a2;--line:#2a323d;"     \
    "--rule:#465160;--panel:#1a2029;--grid:#29313c;--good:#69cf93;--bad:#ff9a90;--goodbg:#173626;" \
    "--badbg:#43211f;--notebg:#332a10;--noteline:#c99a1a;--pos:#ff8c42;--neg:#5ab4f0;"             \
    "--c0:#52adea;--c1:#ff8a4a;--c2:#35c99c;--c3:#e59cc8;--c4:#e8b84a;--c5:#9ad6ff;--c6:#a9b3bf;"  \
    "--c7:#cfa273;color-scheme:dark;"

const char bs_page_style[] =
    ":root{" LIGHT "}\n"
    "@media (prefers-color-scheme:dark){:root:not([data-theme=light]){" DARK "}}\n"
    ":root[data-theme=dark]{" DARK "}\n"
    "*{box-sizing:border-box}\n"
    "html{background:var(--bg)}\n"
    "body{font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;color:var(--ink);"
    "background:var(--bg);margin:2rem auto;max-width:86rem;padding:0 1.5rem}\n"
    "header{position:relative;padding-right:6.5rem}\n"
    "h1{font-size:1.5rem;font-weight:650;margin:0 0 .25rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.15rem;font-weight:650;margin:2.5rem 0 .6rem;padding-top:.9rem;"
    "border-top:1px solid var(--line)}\n"
    "h3{font-size:1rem;font-weight:600;margin:1.5rem 0 .4rem}\n"
    "p{margin:.35rem 0;max-width:62rem;overflow-wrap:anywhere}.quiet{color:var(--soft)}\n"
    ".verdict{font-size:1.1rem;line-height:1.55;margin:1rem 0;padding:.55rem .9rem;"
    "background:var(--panel);border-left:4px solid var(--c0);border-radius:3px}\n"
    ".note,.warn{background:var(--notebg);border-left:3px solid var(--noteline);"
    "padding:.45rem .8rem;border-radius:3px;margin:.7rem 0}\n"
    ".warn{background:var(--badbg);border-color:var(--bad)}\n"
    "#theme{position:absolute;right:0;top:.1rem;font:inherit;font-size:13px;color:var(--head);"
    "background:var(--panel);border:1px solid var(--rule);border-radius:6px;padding:.2rem .6rem;"
    "cursor:pointer}\n"
    "nav{margin:.9rem 0 0;font-size:13.5px;line-height:1.9}"
    "nav a{color:var(--c0);text-decoration:none;margin-right:1.1rem;white-space:nowrap}"
    "nav a:hover{text-decoration:underline}\n"
    "a{color:var(--c0)}code{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}\n"
    ":focus-visible{outline:2px solid var(--c0);outline-offset:1px}\n"
    /* tables */
    /* a shadow where more is to be had by scrolling; it goes with the ground at the end */
    ".scroll{overflow-x:auto;margin:.8rem 0;max-width:100%;"
    "background:linear-gradient(to left,var(--bg) 60%,transparent) right/2.5rem 100% no-repeat "
    "local,linear-gradient(to left,var(--rule),transparent) right/.8rem 100% no-repeat scroll}\n"
    ".long{max-height:31rem;overflow-y:auto;border-bottom:1px solid var(--rule)}\n"
    ".long thead th{position:sticky;top:0;background:var(--bg);z-index:1;"
    "box-shadow:inset 0 -1px var(--rule)}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:13.5px}\n"
    "th,td{padding:.36rem .6rem;text-align:right;white-space:nowrap}\n"
    "th{font-weight:600;color:var(--head);border-bottom:1px solid var(--rule);"
    "vertical-align:bottom}\n"
    "th.group{text-align:center;border-bottom:1px solid var(--line)}\n"
    "td{border-bottom:1px solid var(--line);vertical-align:top}\n"
    "th.text,td.text{text-align:left}td.name{text-align:left;font-weight:600}\n"
    "td.wrap{white-space:normal;text-align:left;min-width:11rem;overflow-wrap:anywhere}\n"
    "tbody tr:hover{background:var(--panel)}\n"
    "table.sorted th[data-sort]{cursor:pointer}\n"
    "th[data-sort]::after{content:'';display:inline-block;width:.8em;margin-left:.15em;"
    "font-size:10px;color:var(--faint)}\n"
    "th[aria-sort=ascending]::after{content:'\\25B2'}\n"
    "th[aria-sort=descending]::after{content:'\\25BC'}\n"
    "input.filter{font:inherit;font-size:13px;color:var(--ink);background:var(--panel);"
    "border:1px solid var(--rule);border-radius:6px;padding:.2rem .6rem;width:15rem;"
    "max-width:100%}\n"
    ".first{border-left:1px solid var(--line)}"
    ".range{color:var(--faint);font-size:12px;font-weight:400}\n"
    ".better{color:var(--good)}.worse{color:var(--bad)}.best{font-weight:700}\n"
    ".tag{font-weight:400;color:var(--faint);font-size:12.5px}\n"
    "td.failed{color:var(--bad);text-align:left;white-space:normal}\n"
    /* names and values */
    "dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.2rem 1.2rem;"
    "margin:.6rem 0;font-size:14px}\n"
    "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n"
    /* boxes */
    "details{margin:1.2rem 0}summary{cursor:pointer;font-weight:600}\n"
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(26rem,100%),1fr));"
    "gap:1rem 1.5rem;align-items:start;margin:.8rem 0}\n"
    ".grid>*{min-width:0}.grid>figure{margin:0}\n"
    ".chip{display:inline-block;border:1px solid var(--rule);border-radius:999px;"
    "padding:0 .55rem;margin:.1rem .25rem .1rem 0;font-size:12.5px;line-height:1.55;"
    "max-width:100%;overflow-wrap:anywhere;white-space:normal}\n"
    ".chip.right{background:var(--goodbg);border-color:var(--good);color:var(--good)}\n"
    ".chip.wrong{background:var(--badbg);border-color:var(--bad);color:var(--bad)}\n"
    ".chip.missed{background:none;border:1px dashed var(--bad);color:var(--bad)}\n"
    ".chip.right::before{content:'\\2713\\a0'}.chip.wrong::before{content:'+\\a0'}"
    ".chip.missed::before{content:'\\2212\\a0'}\n"
    /* sentences with coloured spans: k0 to k7 colour them, wrong and missed frame them */
    ".sentence{border-left:3px solid var(--line);padding-left:.8rem;margin:.9rem 0;"
    "max-width:70rem}.sentence p{line-height:1.9}\n"
    ".which{display:inline-block;min-width:4.6rem;color:var(--soft);font-size:12.5px}\n"
    ".span{border-radius:4px;padding:.08rem .25rem;margin:0 .1rem;border-bottom:2px solid var(--k);"
    "background:color-mix(in srgb,var(--k) 16%,transparent)}\n"
    ".span sub{font-size:10.5px;color:var(--k);margin-left:.25rem;vertical-align:baseline;"
    "white-space:nowrap}\n"
    ".span.wrong{outline:2px solid var(--bad)}.span.missed{outline:2px dashed var(--bad)}\n"
    "img.pixel{image-rendering:pixelated;display:block;max-width:100%;background:var(--panel)}\n"
    ".beside{display:flex;gap:8px}\n"
    "figure{margin:.8rem 0}figcaption{font-size:12.5px;color:var(--soft)}\n"
    /* charts */
    "svg{display:block;max-width:100%;height:auto}\n"
    "svg text{font:12px system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:var(--head)}\n"
    "svg .label{fill:var(--ink);font-size:12.5px}"
    "svg .title{fill:var(--ink);font-weight:600;font-size:13px}\n"
    "svg .grid{stroke:var(--grid)}svg .axis{stroke:var(--rule)}svg .row{stroke:var(--line)}\n"
    "svg .base{stroke:var(--faint);stroke-dasharray:4 3;fill:none}\n"
    "svg .line{fill:none;stroke-width:1.8;stroke-linejoin:round}svg .dash{stroke-dasharray:5 3}\n"
    "svg .band{fill-opacity:.16;stroke:none}svg .hit{fill:transparent}"
    "svg .hit:hover{fill:var(--ink);fill-opacity:.5}\n"
    "svg .dot{fill-opacity:.6}svg .mean{stroke:var(--ink);stroke-width:2.5}"
    "svg .whisker{stroke:var(--ink);stroke-width:1.2}\n"
    "svg .empty{fill:var(--panel)}svg .cell{stroke:var(--bg);stroke-width:1}\n"
    "svg .in{font-size:11px;fill:var(--ink);pointer-events:none}svg .on{fill:var(--bg)}\n"
    ".k0{--k:var(--c0)}.k1{--k:var(--c1)}.k2{--k:var(--c2)}.k3{--k:var(--c3)}"
    ".k4{--k:var(--c4)}.k5{--k:var(--c5)}.k6{--k:var(--c6)}.k7{--k:var(--c7)}\n"
    "svg .s{stroke:var(--k)}svg .f{fill:var(--k)}\n"
    ".map{position:relative}.map canvas{position:absolute;image-rendering:pixelated;"
    "background:var(--panel);outline:1px solid var(--line)}\n"
    ".map-at{min-height:1.5em;font-variant-numeric:tabular-nums}\n"
    "footer{margin-top:3rem;padding-top:.6rem;border-top:1px solid var(--line);"
    "color:var(--soft);font-size:13px}\n"
    "@media (max-width:640px){body{padding:0 .9rem;margin:1rem auto}"
    "th,td{padding:.3rem .4rem}h1{font-size:1.25rem}th{white-space:normal}"
    "td .range,td.name .tag{display:block}"
    "dl{grid-template-columns:fit-content(8.5rem) minmax(0,1fr);gap:.15rem .7rem}}\n"
    "@media print{:root:root:root{" LIGHT "}body{margin:0;max-width:none}"
    ".scroll,.long{overflow:visible;max-height:none}#theme,nav,input.filter{display:none}"
    ".long thead th{position:static}h2,h3{break-after:avoid}svg,tr,img{break-inside:avoid}}\n";

const char bs_page_first[] =
    "try{var t=localStorage.getItem('basin-theme');"
    "if(t==='dark'||t==='light')document.documentElement.setAttribute('data-theme',t)}"
    "catch(e){}";
