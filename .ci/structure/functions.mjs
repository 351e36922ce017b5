// No function is longer than a screen or two. Tests are not counted.
import { Visitor } from 'rolldown/utils';
import { holdBelow } from './bounds.mjs';
import { isTypeScript, parse, sources, textOf } from './sources.mjs';

const MOST_LINES = 80;
/** Functions that are longer, with the lines that they may have until they are divided: only ever lowered. */
const LONGER = {
  'apps/worker/src/start-worker.ts#startWorker': 112,
  'packages/cli/src/callout/webhooks/update.ts#addWebhookUpdate': 84,
  'packages/cli/src/services/start-services.ts#startServices': 96,
  'packages/pipeline/src/settle/delivery-metrics.ts#addDeliveryMetrics': 110,
  'packages/receiver/src/consume/consume.ts#consume': 120,
  'packages/runtime/src/concurrency/batches.ts#createBatches': 103,
  'packages/tenancy/src/operator/administration/credential-administration.ts#createCredentialAdministration': 83,
  'packages/tenancy/src/tenants.ts#createTenantStore': 102,
  'tools/e2e/src/drill/faults/services.ts#startDrillServices': 85,
  'tools/e2e/src/drill/move-drill.ts#runMoveDrill': 83,
  'tools/e2e/src/drill/traffic/webhooks.ts#drillWebhooks': 92,
  'tools/local/src/receiver/start-receiver.ts#startReceiver': 96,
};

/** Lines of the functions that a file names at its top level, with all that is inside: by `file#function`. */
function functionsOf(file) {
  const text = textOf(file);
  const functions = new Map();
  const add = (node, name) => {
    const key = `${file}#${name}`;
    functions.set(key, Math.max(functions.get(key) ?? 0, text.slice(node.start, node.end).split('\n').length));
  };
  const isFunction = (node) => node?.type === 'ArrowFunctionExpression' || node?.type === 'FunctionExpression';
  new Visitor({
    FunctionDeclaration: (node) => add(node, node.id?.name ?? 'default'),
    VariableDeclarator: (node) => isFunction(node.init) && add(node, node.id.name),
    Property: (node) => isFunction(node.value) && add(node, node.key.name),
    MethodDefinition: (node) => add(node, node.key.name),
    CallExpression: (node) =>
      node.arguments
        .filter(isFunction)
        .forEach((argument) => add(argument, `argument of ${text.slice(node.callee.start, node.callee.end)}`)),
  }).visit(parse(file).program);
  return functions;
}

const figures = new Map(sources.filter(isTypeScript).flatMap((file) => [...functionsOf(file)]));

export const longestFunction = () => Math.max(...figures.values());
export const longFunctions = () =>
  holdBelow({ figures, most: MOST_LINES, exceptions: LONGER, what: 'lines', table: '.ci/structure/functions.mjs' });
