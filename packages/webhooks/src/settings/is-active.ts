import { setting } from './setting.ts';

export const isActive = setting({
  key: 'isActive',
  type: { kind: 'boolean' },
  default: false,
  requiredOf: ['replace'],
  description: 'Whether changes make callouts for it.',
  soapName: 'Active',
  readBy: ['match', 'deliver'],
  onChange: (effects, value) => (value === true ? effects.activate() : undefined),
  form: { name: 'Active', initial: true },
  command: { isElsewhere: true },
});
