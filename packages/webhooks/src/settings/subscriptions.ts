import { flag, setting } from './setting.ts';

export const isSubscribedToCreateEvents = setting({
  key: 'isSubscribedToCreateEvents',
  type: flag,
  default: false,
  description: 'Whether created records make callouts.',
  readBy: ['match'],
  form: { section: 'subscriptions', name: 'Created records', initial: true },
  command: { option: 'events', word: 'create' },
});

export const isSubscribedToUpdateEvents = setting({
  key: 'isSubscribedToUpdateEvents',
  type: flag,
  default: false,
  description: 'Whether changes of its subscribed fields make callouts.',
  readBy: ['match'],
  form: { section: 'subscriptions', name: 'Changed fields', initial: true },
  command: { option: 'events', word: 'update' },
});

export const isSubscribedToDeleteEvents = setting({
  key: 'isSubscribedToDeleteEvents',
  type: flag,
  default: false,
  description: 'Whether deleted records make callouts.',
  readBy: ['match'],
  form: { section: 'subscriptions', name: 'Deleted records', initial: true },
  command: { option: 'events', word: 'delete' },
});
