export { listenOnLoopback, LOOPBACK, steadyPort } from './local-port.ts';
export { takeProcessLock } from './process-lock.ts';
