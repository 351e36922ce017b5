export { listenOnLoopback, LOOPBACK, steadyPort } from './local-port.ts';
export { startSupervised, type SupervisedProcess } from './supervised-process.ts';
export { takeProcessLock } from './process-lock.ts';
