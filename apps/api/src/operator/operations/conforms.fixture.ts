import { operations } from '@callout/domain/operations/operations';
import { faults } from '../../openapi/conforms.fixture.ts';
import type { ResponseObject, Operation } from '../../openapi/document-types.ts';
import { templated } from '../../openapi/operation.ts';
import { operatorDocument } from './operator-document.ts';

const document = operatorDocument();

/**
 * Throws unless a response conforms to the document, with a status of its operation. Calls that no document has, such
 * as a method that a path does not accept, must fail.
 */
export function mustConform(method: string, path: string, actual: { readonly status: number; readonly body: unknown }) {
  if (method === 'HEAD') return;
  const plain = (path.split('?').at(0) ?? '').replaceAll(/\/+/gu, '/').replace(/\/$/u, '');
  const found = Object.values(operations).find((one) => one.method === method && patternOf(one.path).test(plain));
  if (found === undefined) {
    if (actual.status >= 400) return;
    throw new Error(`${method} ${path} is not in the document`);
  }
  const documented = responseOf(
    document.paths[templated(found.path)]?.[method.toLowerCase()]?.responses[actual.status],
  );
  if (documented === undefined)
    throw new Error(`${method} ${found.path} answers ${actual.status}, which is not in the document`);
  const schema = documented.content?.['application/json']?.schema;
  if (schema === undefined) return;
  const wrong = faults(document, schema, JSON.parse(JSON.stringify(actual.body)));
  if (wrong.length > 0) throw new Error(`${method} ${found.path} does not answer as documented: ${wrong.join('; ')}`);
}

function responseOf(response: Operation['responses'][string] | undefined): ResponseObject | undefined {
  if (response === undefined || !('$ref' in response)) return response;
  return document.components.responses[response.$ref.replace('#/components/responses/', '')];
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/gu, '[^/]+')}$`, 'u');
