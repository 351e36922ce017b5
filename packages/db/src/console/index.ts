export { type ConsoleLinkItem, type ConsoleLinks, createConsoleLinks } from './console-links.ts';
export { type ConsoleLinkStore, createConsoleLinkStore } from './links.ts';
export { newToken, operatorProof, proofOf } from './proof.ts';
export {
  type ConsoleIdentity,
  type ConsoleSessionStore,
  createConsoleSessionStore,
  type FoundSession,
} from './sessions.ts';
export { findWebhookAddress, findWebhookOwner, findWebhookPlaces, type WebhookPlace } from './webhook-owner.ts';
