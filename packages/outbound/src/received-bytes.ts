import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** A response that Node's parser accepts and we do not. */
export class UnacceptableResponse extends Error {
  readonly kind: 'answerTooLarge' | 'interimAnswers';

  constructor(kind: UnacceptableResponse['kind']) {
    super(kind);
    this.kind = kind;
  }
}

/** For everything that a receiver sends for a request: parts other than headers and body have no limit. */
const maxReceivedBytes = 1_048_576;
/**
 * OpenSSL checks every certificate of a receiver on the thread that all calls share, and a certificate can be made to
 * take 10 ms, or 3 ms with 500 bytes. Chains of public authorities have 3 to 8 KB and up to five certificates; chains
 * that resist quantum computers have some 17 KB.
 */
const maxHandshakeBytes = 20 * 1_024;
const maxCertificates = 8;
/** Above this size certificates are counted, which takes 0.1 ms for each. */
const uncountedHandshakeBytes = 8 * 1_024;
/** The bytes that a connection had received when the present request began. */
const receivedBefore = Symbol('receivedBefore');
type CountedSocket = Socket & { [receivedBefore]?: number };

/** Begins to count for the next request on a connection. */
export function countAnew(socket: CountedSocket): void {
  socket[receivedBefore] = bytesReceived(socket);
}

/**
 * Ends a connection on which more was received for one request than is allowed. To be called from time to time as well:
 * what TLS receives for itself, such as new keys (20 µs for 26 bytes), causes no event.
 */
export function endTooMuch(socket: CountedSocket): void {
  if (bytesReceived(socket) - (socket[receivedBefore] ?? 0) <= maxReceivedBytes) return;
  socket.destroy(new UnacceptableResponse('answerTooLarge'));
}

/** Whether a receiver sent more certificates in the handshake of a TLS connection, which is over, than it needs. */
export function hasTooManyCertificates(socket: Socket): boolean {
  const bytes = bytesReceived(socket);
  if (bytes <= uncountedHandshakeBytes) return false;
  return bytes > maxHandshakeBytes || (socket instanceof TLSSocket && lengthOfChain(socket) > maxCertificates);
}

/** Everything that was received on a connection, with what TLS has added. */
function bytesReceived(socket: Socket): number {
  // `bytesRead` of a TLS socket counts data; only Node's handle below knows the rest.
  const { _handle: handle } = socket as { _handle?: { _parent?: { bytesRead?: number } } | null };
  return handle?._parent?.bytesRead ?? socket.bytesRead;
}

/** Counts the certificates of a receiver, from the receiver's own on; stops at too many. */
function lengthOfChain(socket: TLSSocket): number {
  let certificate = socket.getPeerX509Certificate();
  let length = 0;
  for (; certificate !== undefined && length <= maxCertificates; length += 1)
    certificate = certificate.issuerCertificate;
  return length;
}
