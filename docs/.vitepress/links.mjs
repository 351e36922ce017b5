import path from 'node:path';
import { places, titleOf } from './pages.mjs';

/**
 * Links between documents are those of the repository, `../README.md#first-steps`. In the site they lead to the page made
 * of that file; where there is none, as for source files, the words stay and the link goes: no repository can be reached
 * from a page that works offline.
 * @param {import('markdown-it')} md
 */
export function siteLinks(md) {
  md.core.ruler.push('callout-links', ({ tokens, env }) => {
    const source = sourceOf(env);
    for (const { children } of tokens) {
      if (children === null) continue;
      const dropped = [];
      for (const [at, token] of children.entries()) {
        if (token.type === 'link_open') {
          const href = token.attrGet('href') ?? '';
          const target = siteTarget(source, href);
          dropped.push(target === undefined);
          if (target === undefined) hide(token);
          else token.attrSet('href', target);
          nameByTitle(children[at + 1], fileOf(source, href));
        } else if (token.type === 'link_close' && dropped.pop() === true) hide(token);
      }
    }
  });
}

/** @returns {string} the file that is being rendered, from the root of the repository */
function sourceOf({ realPath, relativePath, path: file }) {
  const known = realPath ?? file;
  return known === undefined ? relativePath : path.posix.relative(path.resolve(import.meta.dirname, '../..'), known);
}

/** @param {string} source @param {string} href @returns {string | undefined} */
function siteTarget(source, href) {
  if (/^([a-z]+:|#)/u.test(href)) return href;
  if (href.startsWith('/')) return href;
  const place = places.get(fileOf(source, href));
  if (place === undefined) return undefined;
  const [, anchor] = href.split('#');
  return `/${place === 'index' ? '' : place}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** @returns {string} the file that a relative link names, from the root of the repository */
function fileOf(source, href) {
  return path.posix.normalize(path.posix.join(path.posix.dirname(source), href.split('#')[0] ?? ''));
}

/** A link that is named by its file, `receiving.md`, gets the title of the page: in the site there are no files. */
function nameByTitle(token, file) {
  if (token?.type === 'text' && token.content.endsWith('.md') && places.has(file)) token.content = titleOf(file);
}

function hide(token) {
  token.type = 'text';
  token.tag = '';
  token.nesting = 0;
  token.content = '';
  token.attrs = null;
}
