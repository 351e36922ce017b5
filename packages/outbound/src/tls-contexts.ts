import { constants } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { TlsMaterial } from '@callout/domain/receiver/certificates';
import { LRUCache } from 'lru-cache';

/** Each context is some 50 KB outside of the heap; a dropped context is made again when needed. */
const maxContexts = 500;

/** The context of all connections without material of their own. */
export function createContext(material: Omit<TlsMaterial, 'id'>): SecureContext {
  const { authorities, certificate, privateKey } = material;
  return createSecureContext({
    minVersion: 'TLSv1.2',
    // Without it, a receiver could renegotiate thousands of times a second, also on an idle connection.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    ...(authorities !== undefined && { ca: authorities }),
    ...(certificate !== undefined && { cert: certificate }),
    ...(privateKey !== undefined && { key: privateKey }),
  });
}

/** Makes the TLS context of a webhook's material, and keeps the latest used. Throws on PEM that OpenSSL refuses. */
export function createTlsContexts(): (material: TlsMaterial) => SecureContext {
  const kept = new LRUCache<string, SecureContext>({ max: maxContexts });
  return (material) => {
    const keptContext = kept.get(material.id);
    if (keptContext) return keptContext;
    const context = createContext(material);
    kept.set(material.id, context);
    return context;
  };
}
