/** The look of the pages of the receiver and of the mail catcher. */
export const pageStyle = `
:root { color-scheme: light dark; --line: #8886; --soft: #8882; }
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 60rem; }
body:has(.inbox) { max-width: none; }
h1 { font-size: 1.3rem; margin: 0 0 .5rem; }
h2 { font-size: 1.05rem; margin: .5rem 0; overflow-wrap: anywhere; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--soft); padding: .5rem; margin: .5rem 0; }
article { border: 1px solid var(--line); border-radius: 6px; padding: 0 1rem; margin: 1rem 0; }
.inbox { display: grid; grid-template-columns: minmax(18rem, 26rem) 1fr; gap: 1rem; }
.inbox > * { min-width: 0; }
.mails { max-height: calc(100vh - 8rem); overflow-y: auto; border: 1px solid var(--line); border-radius: 6px; }
.mails > * { display: block; margin: 0; padding: .4rem .7rem; border-bottom: 1px solid var(--line); color: inherit; text-decoration: none; }
.mails > a:hover, .mails > a[aria-current] { background: var(--soft); }
.mails span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.mails .subject { font-weight: 600; }
.mails .about { font-size: .85rem; opacity: .8; }
.mails time { float: right; font-size: .85rem; opacity: .8; margin-left: .7rem; }
.views a[aria-current] { font-weight: 600; text-decoration: none; color: inherit; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0 1rem; margin: .5rem 0; }
dt { opacity: .7; }
dd { margin: 0; overflow-wrap: anywhere; }
iframe { width: 100%; height: 70vh; border: 1px solid var(--line); background: #fff; }
input { font: inherit; padding: .3rem .5rem; width: min(26rem, 100%); }
@media (max-width: 50rem) { .inbox { grid-template-columns: 1fr; } .mails { max-height: 40vh; } }
`;
