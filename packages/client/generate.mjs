// Writes the types of the REST API and of the operator API from their OpenAPI documents.
// usage: generate.mjs <directory with openapi.json and operator-openapi.json> <directory of the types>
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import openapiTypescript, { astToString } from 'openapi-typescript';

const [from, to] = process.argv.slice(2);

// Two thirds of the document are examples and texts for people, which no type needs.
const text = new Set(['example', 'examples', 'summary']);
// Ids of fields and values of picklists: an installation may have more, and programs read them from metadata.
const isListOfNumbers = (key, item) => key === 'enum' && item.every((value) => typeof value !== 'string');
// A part that only requires properties of another part would become a type without any.
const requiring = (names) => ({
  type: 'object',
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});
const bare = (value, isProperties = false) => {
  if (Array.isArray(value)) return value.map((item) => bare(item));
  if (typeof value !== 'object' || value === null) return value;
  if (!isProperties && Array.isArray(value.required) && value.properties === undefined)
    return requiring(value.required);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, item]) => isProperties || !(text.has(key) || isListOfNumbers(key, item)))
      .map(([key, item]) => [key, bare(item, key === 'properties' || key === 'schemas')]),
  );
};

await mkdir(to, { recursive: true });
for (const [document, types] of [
  ['openapi.json', 'api.ts'],
  ['operator-openapi.json', 'operator-api.ts'],
]) {
  const api = bare(JSON.parse(await readFile(path.join(from, document), 'utf8')));
  await writeFile(path.join(to, types), astToString(await openapiTypescript(api, { defaultNonNullable: false })));
}
