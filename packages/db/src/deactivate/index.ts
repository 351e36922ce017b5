export { cancelOpenCallouts, webhooksToCancel } from './cancel.ts';
