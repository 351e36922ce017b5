import { signatureKinds } from '@callout/domain/callout/signature-kind';
import { setting } from './setting.ts';

export const secretKey = setting({
  key: 'secretKey',
  type: { kind: 'secret' },
  requiredOf: ['create'],
  description: 'What signs its callouts, 1 to 64 characters; it is never returned and reads as asterisks.',
  isSecret: true,
  readBy: ['deliver'],
  onChange: (effects) => effects.announceSecret(),
  form: { section: 'signature', name: 'Secret', editor: 'secret' },
  command: { isElsewhere: true },
});

export const signatureKind = setting({
  key: 'signatureKind',
  type: { kind: 'choice', words: signatureKinds },
  default: 'hmac',
  description:
    'How its callouts are signed: hmac with its secret, ed25519 with the private key of the tenant, or both; hmac when it is left out.',
  readBy: ['deliver'],
  form: {
    section: 'signature',
    name: 'Signature',
    label: 'Sign callouts',
    choices: {
      hmac: { label: 'With the secret', help: 'HMAC: the receiver has the secret, and could sign as well.' },
      ed25519: {
        label: 'With a key pair',
        help: 'Ed25519: the receiver has a public key, and only Callout can sign. X-Hook-Signature is not sent.',
      },
      both: { label: 'With both', help: 'While a receiver changes over from the secret to the public key.' },
    },
  },
  command: {
    option: 'signature',
    argument: 'kind',
    description: 'how its callouts are signed: with its secret, a key pair or both',
  },
});
