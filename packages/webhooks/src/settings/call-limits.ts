import { setting, type SettingValues } from './setting.ts';

export const maxCallsPerSecond = setting({
  key: 'maxCallsPerSecond',
  type: { kind: 'limit', minimum: 0.1, maximum: 1_000, isWhole: false },
  default: null,
  description: 'How many calls to its receiver may begin in a second; null: any number.',
  isOfCalls: true,
  readBy: ['limits'],
  onChange: (effects) => effects.forgetRate(),
  form: {
    section: 'delivery',
    name: 'Calls per second',
    help: '0.1 to 1,000; callouts beyond it wait',
    placeholder: 'no limit',
    summary: summaryOfLimits,
  },
  command: { option: 'calls-per-second', description: 'how many calls may begin in a second, or none for no limit' },
});

export const maxConcurrentCalls = setting({
  key: 'maxConcurrentCalls',
  type: { kind: 'limit', minimum: 1, maximum: 200, isWhole: true },
  default: null,
  description: 'How many calls to its receiver may be under way at once; null: the service decides.',
  isOfCalls: true,
  readBy: ['limits'],
  form: {
    section: 'delivery',
    name: 'Calls at once',
    help: '1 to 200 requests under way at a time',
    placeholder: 'no limit',
    isBeside: true,
    note: 'Without a limit, Callout adjusts to the receiver by itself.',
  },
  command: { option: 'concurrent-calls', description: 'how many calls may be under way at once, or none' },
});

/** Both limits in one sentence. */
function summaryOfLimits({ maxCallsPerSecond: perSecond, maxConcurrentCalls: atOnce }: SettingValues): string {
  const limits = [
    ...(typeof perSecond === 'number' ? [`${perSecond.toLocaleString()} calls a second`] : []),
    ...(typeof atOnce === 'number' ? [`${atOnce.toLocaleString()} at once`] : []),
  ];
  return limits.length === 0 ? 'no limits' : `at most ${limits.join(' and ')}`;
}
