export { hashImportedSecret, isImportedSecret } from './imported-secret.ts';
export { KeyRing, type SealedSecret, secretAad } from './keyring.ts';
export {
  knownRotationKeys,
  parseSecretRotation,
  type SecretRotation,
  secretRotationFields,
} from './secret-rotation.ts';
