/** The style of the page, exactly as it stands between its tags: its hash is in the page's policy. */
export const pageStyle = `
:root { color-scheme: light dark; --line: #8884; }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; }
nav { display: flex; flex-wrap: wrap; gap: 0 .8rem; padding: .5rem 0; border-block: 1px solid var(--line); }
h2 { margin-top: 2rem; }
h3 { font-size: 1rem; margin-bottom: 0; }
details { border-bottom: 1px solid var(--line); padding: .3rem 0; }
details > :not(summary) { margin-left: 1rem; }
summary { cursor: pointer; overflow-wrap: anywhere; }
summary b { display: inline-block; min-width: 4rem; }
code, pre { font: .875rem/1.4 ui-monospace, monospace; }
pre { overflow-x: auto; padding: .6rem; border: 1px solid var(--line); }
p { overflow-wrap: anywhere; }
dd { margin-left: 1.5rem; }
`;
