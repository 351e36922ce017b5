export { createPullBell, type PullBell } from './pull-bell.ts';
export { createPullListener, type PullListener } from './pull-listener.ts';
