import { setting } from './setting.ts';

export const requestHeaders = setting({
  key: 'requestHeaders',
  type: { kind: 'requestHeaders' },
  default: '[]',
  description: 'Headers that its requests have besides those of Callout, 20 at most.',
  isSecret: true,
  readBy: ['deliver'],
  form: { section: 'receiver', name: 'Request headers', editor: 'receiver' },
  command: {
    option: 'request-headers-file',
    description: 'headers of its requests, as a JSON list of name and value, or none',
  },
});

export const receiverAuth = setting({
  key: 'receiverAuth',
  type: { kind: 'receiverAuth' },
  default: '{"kind":"none"}',
  description: 'How its requests prove who sends them, beside the signature; secrets read as asterisks.',
  isSecret: true,
  readBy: ['deliver'],
  onChange: (effects) => effects.announceCertificate(),
  form: { section: 'receiver', name: 'Authentication', editor: 'receiver' },
  command: {
    option: 'receiver-auth-file',
    description: 'how its requests prove to the receiver who sends them, as JSON, or none',
  },
});

export const caCertificate = setting({
  key: 'caCertificate',
  type: { kind: 'authorities' },
  default: null,
  description: 'The certificate authorities that its receiver is trusted by, in PEM; null: the public ones.',
  readBy: ['deliver'],
  form: { section: 'receiver', name: 'Certificate authorities', editor: 'receiver' },
  command: {
    option: 'ca-file',
    description: 'the certificate authorities that its receiver is trusted by, in PEM, or none',
  },
});
