export { freePort, listenOnLoopback, LOOPBACK, steadyPort } from './local-port.ts';
export { startSupervised, type SupervisedProcess } from './supervised-process.ts';
export { acquireProcessLock } from './process-lock.ts';
