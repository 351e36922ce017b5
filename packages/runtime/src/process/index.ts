export { stopOnSignals, type StopStep } from './lifecycle.ts';
export { nodeFlags } from './node-flags.ts';
export { ownVersion } from './own-version.ts';
export { startStep } from './start-step.ts';
export { type Listening, tellParent } from './tell-parent.ts';
