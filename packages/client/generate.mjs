// Writes types of an API from its OpenAPI document.
// usage: generate.mjs <openapi.json> <types.ts>
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';

const [file, target] = process.argv.slice(2);
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
await mkdir(path.dirname(target), { recursive: true });
await writeFile(target, astToString(types));
