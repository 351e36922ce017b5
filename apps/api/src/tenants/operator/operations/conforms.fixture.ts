import { faults } from '../../../openapi/conforms.fixture.ts';
import type { Json } from '../../../openapi/document-types.ts';
import { templated } from '../../../openapi/operation.ts';
import { operatorDocument, operatorOperations } from './operator-document.ts';

const document = operatorDocument();

/** Throws unless a success is answered as the document says. Other answers pass: every route fails alike. */
export function mustConform(method: string, path: string, answer: { readonly status: number; readonly body: unknown }) {
  if (answer.status >= 300 || method === 'HEAD') return;
  const plain = (path.split('?').at(0) ?? '').replaceAll(/\/+/gu, '/').replace(/\/$/u, '');
  const found = operatorOperations.find((one) => one.method === method && patternOf(one.path).test(plain));
  if (found === undefined) throw new Error(`${method} ${path} is not in the document`);
  if (found.answer.mediaType !== undefined) return;
  const documented = document.paths[templated(found.path)]?.[method.toLowerCase()]?.responses[answer.status];
  if (documented === undefined) throw new Error(`${found.id} answers ${answer.status}, which is not in the document`);
  const schema = 'content' in documented ? documented.content?.['application/json']?.schema : undefined;
  const wrong = faults(document, schema as Json, JSON.parse(JSON.stringify(answer.body)));
  if (wrong.length > 0) throw new Error(`${found.id} does not answer as documented: ${wrong.join('; ')}`);
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(/:\w+/gu, '[^/]+')}$`, 'u');
