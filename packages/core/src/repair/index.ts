export { type EndedCallout, type OpenRecord, reopen, type Reopening } from './reopen.ts';
