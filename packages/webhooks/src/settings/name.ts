import { setting } from './setting.ts';

export const name = setting({
  key: 'name',
  type: { kind: 'text', length: 50 },
  requiredOf: ['create', 'replace'],
  description: 'What its owner calls it.',
  readBy: ['notify'],
  form: { section: 'basics', name: 'Name', help: 'Appears in the subject of mails about it' },
  command: { argument: 'name', description: 'what you call it, up to 50 characters' },
});
