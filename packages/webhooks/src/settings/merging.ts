import { flag, setting } from './setting.ts';

export const mergeWhileWaiting = setting({
  key: 'mergeWhileWaiting',
  type: flag,
  default: false,
  description: 'Whether later changes of a record are merged into a callout that has not been tried.',
  readBy: ['match'],
  form: {
    section: 'delivery',
    name: 'Merge while waiting',
    help: 'While a callout has not been tried, later changes of its record go into it: after an outage, the receiver gets one for each record',
    summary: ({ mergeWhileWaiting: isMerging }) => (isMerging === true ? 'Merged while waiting' : 'Not merged'),
  },
  command: {
    option: 'merge',
    description: 'merge later changes of a record into a callout that has not been tried',
    negated: 'send a callout for each change',
  },
});
