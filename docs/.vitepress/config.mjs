import { siteLinks } from './links.mjs';
import { others, places, root, sidebar } from './pages.mjs';
import { exampleSources } from './example-sources.mjs';
import { scriptsAsFiles, finishSite } from './strict-page.mjs';

/** As GitHub makes the anchors of headings, so that a link is right in both. */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/gu, '-');

/** The documentation as the API serves it under `/docs`: no other host is asked for anything, and no script is inline. */
export default {
  title: 'Callout',
  description: 'Webhooks that you host yourself: field-level, ordered per record, and nothing accepted is ever lost.',
  lang: 'en',
  base: '/docs/',
  srcDir: root,
  srcExclude: others,
  rewrites: Object.fromEntries([...places].map(([file, place]) => [file, `${place}.md`])),
  cleanUrls: true,
  metaChunk: true,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/docs/callout.svg' }]],
  markdown: { anchor: { slugify: anchorOf }, config: siteLinks },
  // Its table needs the width.
  transformPageData: ({ filePath }) => (filePath === 'docs/configuration.md' ? { frontmatter: { aside: false } } : {}),
  transformHtml: scriptsAsFiles,
  buildEnd: finishSite,
  // Served by the API beside the pages.
  ignoreDeadLinks: [/^\/downloads\/./u, '/api'],
  vite: { build: { assetsInlineLimit: 0 }, publicDir: false, plugins: [exampleSources()] },
  themeConfig: {
    logo: { src: '/callout.svg', alt: '' },
    siteTitle: 'Callout',
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: '/getting-started' },
      { text: 'API reference', link: '/api', target: '_self' },
      { text: 'Downloads', link: '/downloads' },
    ],
    sidebar: sidebar(),
    docFooter: { prev: 'Before', next: 'Next' },
    externalLinkIcon: true,
  },
};
