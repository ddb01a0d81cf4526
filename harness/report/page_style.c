#include "report/page.h"

/* Verdicts, marks and causes have hues that remain apart in the common colour blindnesses (after Okabe and Ito), and a
 * word or shape beside the colour everywhere; the nine steps of .h0 to .h8 rise evenly in lightness (after cividis),
 * and keep their order in grey. */
/* clang-format off */
static const char *const style[] = {
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1a1a1a;--soft:#5a5a5a;--rule:#d0d0d0;--shade:#f3f3f3;",
    "--blue:#0068a8;--red:#b94a00;--green:#00785a;--amber:#8a6100;--violet:#99467a}\n",
    "@media(prefers-color-scheme:dark){:root{--paper:#16181b;--ink:#e8e8e8;--soft:#a8a8a8;--rule:#44484d;",
    "--shade:#22262a;--blue:#67b7ef;--red:#ff9152;--green:#3fcf9f;--amber:#f0b93a;--violet:#e59ac5}}\n",
    "*{box-sizing:border-box}html{scroll-behavior:smooth}\n",
    "body{margin:0 auto;max-width:76rem;padding:0 1rem 3rem;background:var(--paper);color:var(--ink);",
    "font:1rem/1.5 system-ui,\"DejaVu Sans\",sans-serif}\n",
    "a{color:var(--blue)}:focus-visible{outline:3px solid var(--blue);outline-offset:2px}\n",
    ".skip{position:absolute;left:-99rem}.skip:focus{left:1rem;background:var(--paper);padding:.5rem}\n",
    "nav ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;padding:0;margin:.5rem 0}\n",
    "h1{font-size:1.2rem;margin:1rem 0 0;font-weight:600}h2{font-size:1.25rem;margin:2.5rem 0 .5rem;",
    "border-bottom:1px solid var(--rule)}h3{font-size:1rem;margin:1.2rem 0 .3rem}\n",
    ".verdict{display:flex;flex-wrap:wrap;align-items:baseline;gap:.2rem .8rem;border-left:.5rem solid;",
    "padding:.4rem .8rem;margin:.6rem 0;background:var(--shade)}.verdict strong{font-size:1.7rem}\n",
    ".PASS{color:var(--green)}.NO_GOLDEN,.SKIP{color:var(--soft)}.WIN,.DRIFT{color:var(--blue)}\n",
    ".INCONCLUSIVE,.ENVIRONMENT{color:var(--amber)}.FAIL{color:var(--red)}\n",
    ".verdict span,.verdict code{color:var(--ink)}.note{border:2px solid var(--amber);padding:.3rem .8rem}\n",
    "p{max-width:60rem}.soft,figcaption,caption{color:var(--soft);font-size:.9rem;text-align:left}td.soft{font-size:inherit}\n",
    ".scroll{overflow-x:auto;max-width:100%}\n",
    "table{border-collapse:collapse;font-size:.9rem;margin:.4rem 0}th,td{padding:.15rem .6rem .15rem 0;",
    "text-align:left;vertical-align:top}th{border-bottom:1px solid var(--rule);white-space:nowrap}\n",
    "td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n",
    "#shapes td:last-child{min-width:22rem}td.best{font-weight:700;text-decoration:underline}",
    "code,.mono{font-family:ui-monospace,\"DejaVu Sans Mono\",monospace;font-size:.85em;overflow-wrap:anywhere}",
    "td.claim{white-space:nowrap}td.claim .mono{overflow-wrap:normal}\n",
    /* of tables with a row for each of thousands: what a cell is follows from its place, and no class is written in it */
    ".claims td:nth-child(2),.kernels td:first-child{font-family:ui-monospace,\"DejaVu Sans Mono\",monospace;font-size:.77rem;line-height:1.35rem;white-space:nowrap}",
    ".claims :is(td,th):nth-child(n+3):not(:last-child),.kernels :is(td,th)+:is(td,th){text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\n",
    "figure{margin:.5rem 0}.panels{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,19rem),1fr));",
    "gap:.5rem 1rem}\n",
    "svg{display:block;width:100%;max-width:var(--width);height:auto;fill:none}svg text{font-size:11px}",
    ".head{font-weight:600;font-size:.85rem;margin:.5rem 0 0}\n",
    ".heat{border-spacing:2px;border-collapse:separate}.heat td{text-align:center;padding:.1rem .3rem;line-height:1.25}",
    ".heat th,.heat td{vertical-align:middle}.heat th{font-weight:400;border:0;text-align:right}.heat thead th{text-align:center;vertical-align:bottom}\n",
    ".sweep{border-spacing:1px}.sweep td{padding:0 .1rem;font-size:.75rem;min-width:1.45rem}.sweep th{padding:0 .3rem 0 0;font-size:.8rem}.sweep thead span{writing-mode:vertical-rl;",
    "transform:rotate(180deg)}\n",
    ".h0{background:#00224e}.h1{background:#1f3a6d}.h2{background:#434e6c}.h3{background:#61646f}.h4{background:#7d7c78}",
    ".h5{background:#9b9476}.h6{background:#bbae6c}.h7{background:#dcc95b}.h8{background:#fee838}\n",
    ".none{background:var(--shade)}.h0,.h1,.h2,.h3{color:#fff}.h4,.h5,.h6,.h7,.h8{color:#000}\n",
    ".lane{display:flex;width:max-content;align-items:center;height:22px}.lane span{flex:none;width:60px;font-size:.75rem;",
    "color:var(--soft)}.lane i{flex:none;width:6px;height:8px}.lane b{flex:none;width:120px;font-weight:400;font-size:.75rem;",
    "color:var(--soft)}\n",
    ".lane i.k-issue{height:18px;width:5px;margin-right:1px}\n",
    ".k-issue{background:var(--green)}.k-another{background:var(--rule)}.k-stall{background:color-mix(in srgb,var(--blue) 35%,var(--paper))}",
    ".k-scoreboard{background:var(--red)}\n",
    ".k-pipe{background:var(--amber)}.k-ports{background:var(--violet)}.k-branch{background:var(--soft)}.k-line{background:var(--ink)}\n",
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1rem;font-size:.85rem;list-style:none;padding:0;margin:.3rem 0}\n",
    ".legend i{display:inline-block;width:14px;height:14px;vertical-align:-2px;margin-right:.3rem}\n",
    "details>summary{cursor:pointer;color:var(--blue);padding:.2rem 0}dl{display:grid;",
    "grid-template-columns:minmax(8rem,max-content) 1fr;gap:.1rem 1rem;margin:.4rem 0}\n",
    "dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}\n",
    "@media screen and (max-width:48rem){.claims thead{display:none}.claims tr{display:grid;grid-template-columns:auto 1fr;",
    "gap:0 .8rem;padding:.4rem 0;border-bottom:1px solid var(--rule)}.claims td{padding:0}.claims td:nth-child(n+3):not(:last-child){display:none}",
    ".claims td:last-child{grid-column:1/-1}.claims td:nth-child(2),.claims td:last-child{white-space:normal;overflow-wrap:anywhere}}\n",
    "@media screen and (max-width:36rem){dl{grid-template-columns:1fr}dd{margin-left:1rem}.verdict strong{font-size:1.4rem}}\n",
    "@media print{:root{color-scheme:light;--paper:#fff;--ink:#000;--soft:#444;--rule:#bbb;--shade:#f3f3f3;",
    "--blue:#0068a8;--red:#b94a00;--green:#00785a;--amber:#8a6100;--violet:#99467a}\n",
    "body{max-width:none;font-size:9pt}nav,.skip{display:none}figure,tr,p,.legend,.panels>*{break-inside:avoid}",
    "h2,h3,.head,section>p.soft,#sweep .legend{break-after:avoid}*{print-color-adjust:exact}\n",
    ".scroll{overflow:visible}.lane{zoom:.55}#shapes td:last-child{min-width:0}td.claim,.claims td:nth-child(2),th{white-space:normal}table{font-size:7.5pt}td,th{padding-right:.3rem}td.claim .mono,.claims td:nth-child(2){overflow-wrap:anywhere}.claims td:nth-child(2),.kernels td:first-child{font-size:6.4pt;line-height:11.2pt}",
    "details.whole::details-content{content-visibility:visible;height:auto}}\n",
};
/* clang-format on */

void accp_page_style(FILE *stream)
{
    fputs("<style>\n", stream);
    for (size_t i = 0; i < sizeof style / sizeof *style; ++i)
        fputs(style[i], stream);
    accp_plot_style(stream);
    fputs("</style>\n", stream);
}
