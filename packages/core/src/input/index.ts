export { clientNetwork } from './client-network.ts';
export { foldKeys, knownKeys, type KnownKeys, type OnUnknownKey } from './fold-keys.ts';
export { nearestHint, nearestName } from './nearest-name.ts';
export { textInput } from './input-schemas.ts';
export { textOf } from './text-of.ts';
export {
  collectUnknownNames,
  expectedKey,
  mostUnknownNames,
  noteUnknownKeys,
  unknownKeysOf,
  type UnknownName,
  type UnknownNames,
} from './unknown-names.ts';
