import { hash } from 'node:crypto';
import type { Content, OpenApiDocument, Operation, Parameter, PathItem } from './document-types.ts';
import type { Json } from './json-schema.ts';
import { failures } from './responses.ts';
import { pageStyle } from './page-style.ts';

/** The page has no script, and of styles only its own. */
export const pagePolicy = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', pageStyle, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The document as one HTML page that needs nothing else: operations by collection, callouts, schemas. */
export function documentPage(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const [server] = document.servers;
  const base = server?.url ?? '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(info.title)} API</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>${escape(info.title)} API ${escape(info.version)}</h1>
${paragraphs(info.description)}
<p>For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI ${escape(document.openapi)}).</p>
</header>
<nav>${tags.map(({ name }) => `<a href="#${anchor('tag', name)}">${escape(name)}</a>`).join(' ')}
<a href="#callouts">Callouts</a> <a href="#failures">Failures</a> <a href="#schemas">Schemas</a></nav>
<main>
<section><h2>Credentials</h2><p>Three headers, unless an operation says that it needs none:</p>
${definitions(Object.values(components.securitySchemes).map((scheme) => [scheme.name, scheme.description]))}
<p>Wherever credentials are needed:</p>
${definitions(Object.values(components.parameters).map(parameterText))}</section>
${tags.map(({ name }) => tagSection(name, document, base)).join('\n')}
<section id="callouts"><h2>Callouts</h2><p>What receivers get.</p>
${Object.values(document.webhooks)
  .map((item) => operationsOf(item, '').join('\n'))
  .join('\n')}</section>
<section id="failures"><h2>Failures</h2><p>All in the envelope ${schemaLink('Failure')}.</p>
${definitions(Object.entries(failures))}</section>
<section id="schemas"><h2>Schemas</h2>
${Object.entries(components.schemas).map(schemaDetails).join('\n')}</section>
</main>
</body>
</html>
`;
}

function tagSection(name: string, document: OpenApiDocument, base: string): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) => operationsOf(item, base + path, name));
  return `<section id="${anchor('tag', name)}"><h2>${escape(name)}</h2>\n${operations.join('\n')}</section>`;
}

/** The operations of a path, or those with `tag`. */
function operationsOf(item: PathItem, path: string, tag?: string): string[] {
  return Object.entries(item)
    .filter(([, operation]) => tag === undefined || operation.tags?.includes(tag) === true)
    .map(([method, operation]) => operationDetails(method, path, operation));
}

function operationDetails(method: string, path: string, operation: Operation): string {
  // What all operations share is told once, above them.
  const parameters = operation.parameters.flatMap((one) => ('$ref' in one ? [] : [one]));
  return `<details><summary><b class="${escape(method)}">${escape(method.toUpperCase())}</b> <code>${escape(path)}</code> ${escape(operation.summary)}</summary>
${paragraphs(operation.description ?? '')}
${parameters.length === 0 ? '' : `<h3>Parameters</h3>${definitions(parameters.map(parameterText))}`}
${operation.requestBody === undefined ? '' : `<h3>Request</h3>${contentText(operation.requestBody.content)}`}
<h3>Responses</h3>${responsesText(operation)}</details>`;
}

function parameterText({ name, in: place, required, description, example }: Parameter): [string, string] {
  const words = [
    place,
    required ? 'required' : 'optional',
    description,
    example === undefined ? '' : `Example: ${text(example)}`,
  ];
  return [name, words.filter((word) => word !== undefined && word !== '').join(' · ')];
}

function contentText(content: Content): string {
  const { schema, example } = content['application/json'];
  return `<p>${schemaText(schema)}</p>${example === undefined ? '' : `<pre>${escape(pretty(example))}</pre>`}`;
}

function responsesText({ responses }: Operation): string {
  const own = Object.entries(responses).flatMap(([status, answered]) =>
    '$ref' in answered
      ? []
      : [
          `<p><code>${escape(status)}</code> ${escape(answered.description)}${
            answered.content === undefined ? '' : ` ${schemaText(answered.content['application/json'].schema)}`
          }</p>`,
        ],
  );
  const shared = Object.entries(responses).flatMap(([status, answered]) => ('$ref' in answered ? [status] : []));
  const rest = shared.length === 0 ? '' : `<p><a href="#failures">Failures</a>: ${escape(shared.join(', '))}</p>`;
  return own.join('') + rest;
}

/** A schema in one line, with what it refers to as links. */
function schemaText(schema: Json): string {
  const { $ref, type, items, properties, required, allOf } = schema;
  if (typeof $ref === 'string') return schemaLink($ref.replace('#/components/schemas/', ''));
  if (Array.isArray(allOf)) return (allOf as Json[]).map(schemaText).join(' ');
  if (type === 'array') return `[${schemaText(items as Json)}]`;
  if (properties !== undefined) {
    const entries = Object.entries(properties as Readonly<Record<string, Json>>);
    return `{ ${entries.map(([name, one]) => `${escape(name)}: ${schemaText(one)}`).join(', ')} }`;
  }
  if (Array.isArray(required)) return `with ${escape(required.join(', '))}`;
  return escape(text(type ?? 'anything'));
}

function schemaLink(name: string): string {
  return `<a href="#${anchor('schema', name)}">${escape(name)}</a>`;
}

function schemaDetails([name, schema]: [string, unknown]): string {
  const body = escape(pretty(schema));
  return `<details id="${anchor('schema', name)}"><summary>${escape(name)}</summary><pre>${body}</pre></details>`;
}

function definitions(entries: readonly (readonly [string, string])[]): string {
  return `<dl>${entries.map(([term, meaning]) => `<dt><code>${escape(term)}</code></dt><dd>${escape(meaning)}</dd>`).join('')}</dl>`;
}

function paragraphs(content: string): string {
  const parts = content.split('\n\n').filter((part) => part !== '');
  return parts.map((part) => `<p>${escape(part)}</p>`).join('');
}

function anchor(kind: string, name: string): string {
  return escape(`${kind}-${name}`.replaceAll(/[^\w-]/g, '-'));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(content: string): string {
  return content.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
