// Writes src/generated/api.ts, the types of the REST API, from its OpenAPI document.
// usage: generate.mjs <openapi.json>
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import openapiTypescript, { astToString } from 'openapi-typescript';

const [file] = process.argv.slice(2);
const document = JSON.parse(await readFile(file, 'utf8'));

// Two thirds of the document are examples and texts for people, which no type needs.
const text = new Set(['example', 'examples', 'summary']);
const bare = (value, isProperties = false) => {
  if (Array.isArray(value)) return value.map((item) => bare(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isProperties || !text.has(key))
      .map(([key, item]) => [key, bare(item, key === 'properties' || key === 'schemas')]),
  );
};

const types = await openapiTypescript(bare(document), { defaultNonNullable: false });
await mkdir(new URL('src/generated/', import.meta.url), { recursive: true });
await writeFile(new URL('src/generated/api.ts', import.meta.url), astToString(types));
