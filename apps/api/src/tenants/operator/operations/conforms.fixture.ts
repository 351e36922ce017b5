import { faults } from '../../../openapi/conforms.fixture.ts';
import type { Answered, Operation } from '../../../openapi/document-types.ts';
import { templated } from '../../../openapi/operation.ts';
import { operatorDocument, operatorOperations } from './operator-document.ts';

const document = operatorDocument();

/**
 * Throws unless an answer is as the document says, with a status that it names for the operation. What is in no document,
 * such as a method that a path does not take, must fail.
 */
export function mustConform(method: string, path: string, answer: { readonly status: number; readonly body: unknown }) {
  if (method === 'HEAD') return;
  const plain = (path.split('?').at(0) ?? '').replaceAll(/\/+/gu, '/').replace(/\/$/u, '');
  const found = operatorOperations.find((one) => one.method === method && patternOf(one.path).test(plain));
  if (found === undefined) {
    if (answer.status >= 400) return;
    throw new Error(`${method} ${path} is not in the document`);
  }
  const documented = responseOf(
    document.paths[templated(found.path)]?.[method.toLowerCase()]?.responses[answer.status],
  );
  if (documented === undefined) throw new Error(`${found.id} answers ${answer.status}, which is not in the document`);
  const schema = documented.content?.['application/json']?.schema;
  if (schema === undefined) return;
  const wrong = faults(document, schema, JSON.parse(JSON.stringify(answer.body)));
  if (wrong.length > 0) throw new Error(`${found.id} does not answer as documented: ${wrong.join('; ')}`);
}

function responseOf(response: Operation['responses'][string] | undefined): Answered | undefined {
  if (response === undefined || !('$ref' in response)) return response;
  return document.components.responses[response.$ref.replace('#/components/responses/', '')];
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/gu, '[^/]+')}$`, 'u');
