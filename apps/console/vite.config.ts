import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './precompress.ts';
import { usedStyles } from './used-styles.ts';

const plainContainer = fileURLToPath(new URL('src/parts/table/table-scroll-container.ts', import.meta.url));

/**
 * One bundle of static files for `/console`: a small start, and a file for each page, fetched when it is opened. The
 * names of assets carry a hash of their content, so that browsers may keep them for good.
 */
export default defineConfig({
  base: '/console/',
  plugins: [react(), usedStyles(), precompress()],
  // The client is taken from its sources, as everything else is here.
  resolve: {
    conditions: ['source', 'module', 'browser', 'development|production'],
    alias: [
      // Mantine hangs it on every table, so that no bundler leaves it out, with 18 KB of scroll bars and floating boxes.
      { find: /^.*\/TableScrollContainer\.mjs$/u, replacement: plainContainer },
    ],
  },
  build: {
    target: 'es2022',
    sourcemap: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // What four pages or more need is one file. With a file for each set of pages that share something, a page made 40 to
    // 80 requests, six at a time, to save at most 40 KB. The input for numbers, 9 KB for a few pages, and what only
    // operators need are files of their own.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'shared',
              minShareCount: 4,
              test: /^(?!.*(?:number-?(?:input|format)|\/operations\/|src\/(?:api|pages)\/operator))/iu,
            },
          ],
        },
      },
    },
  },
  server: {
    // Of `npm run dev`, which names the API; alone (`npm run dev -w @callout/console`) beside `npm start`.
    proxy: {
      '^/(console/session|atservicesrest|operator|openapi.json)': {
        target: process.env['CALLOUT_API'] ?? 'http://127.0.0.1:8080',
      },
    },
  },
});
