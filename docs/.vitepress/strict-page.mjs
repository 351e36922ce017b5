import { hash } from 'node:crypto';
import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const INLINE = /<script(?![^>]*\bsrc=)([^>]*)>([\s\S]*?)<\/script>/gu;

/**
 * Inline scripts become files named by what is in them: the policy of the pages allows no inline script.
 * @param {string} html @param {string} _id @param {{ siteConfig: { outDir: string }, }} context
 */
export async function scriptsAsFiles(html, _id, { siteConfig }) {
  const assets = path.join(siteConfig.outDir, 'assets');
  await mkdir(assets, { recursive: true });
  const found = [...html.matchAll(INLINE)];
  for (const [whole, attributes, code] of found) {
    const name = `inline.${hash('sha256', code, 'hex').slice(0, 12)}.js`;
    await writeFile(path.join(assets, name), code);
    const rest = attributes.replaceAll(/ id="[^"]*"/gu, '');
    html = html.replace(whole, () => `<script${rest} src="/docs/assets/${name}"></script>`);
  }
  return html;
}

/** Adds the icon, and a compressed copy of every text, which the API serves as it is. */
export async function finishSite({ outDir }) {
  await copyFile(path.join(import.meta.dirname, '../images/callout.svg'), path.join(outDir, 'callout.svg'));
  await copyFile(
    path.join(import.meta.dirname, '../catalogue.schema.json'),
    path.join(outDir, 'catalogue.schema.json'),
  );
  const files = await readdir(outDir, { recursive: true });
  for (const file of files.filter((name) => /\.(html|js|css|svg|json)$/u.test(name))) {
    const content = await readFile(path.join(outDir, file));
    if (content.length < 1024) continue;
    await writeFile(path.join(outDir, `${file}.gz`), await promisify(gzip)(content, { level: 9 }));
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
    await writeFile(path.join(outDir, `${file}.br`), await promisify(brotliCompress)(content, { params }));
  }
}
