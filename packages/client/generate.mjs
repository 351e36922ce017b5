// Writes src/generated from the OpenAPI document: api.ts, the types of the REST API, and paths-with-key.ts, the operations
// that take an Idempotency-Key.
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

const takesKey = ({ parameters = [] }) =>
  parameters.some(({ $ref, name }) => name === 'Idempotency-Key' || $ref === '#/components/parameters/IdempotencyKey');
const withKey = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, operation]) => takesKey(operation))
    .map(([method]) => `${method.toUpperCase()} ${path}`),
);
if (withKey.length === 0) throw new Error('No operation takes an Idempotency-Key: was the parameter renamed?');
await writeFile(
  new URL('src/generated/paths-with-key.ts', import.meta.url),
  `export const pathsWithKey: ReadonlySet<string> = new Set(${JSON.stringify(withKey, null, 2)});\n`,
);
