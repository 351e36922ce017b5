import { connect } from 'node:net';
import { hasCode } from '../error-code.ts';
import { LOOPBACK } from '../process/local-port.ts';

const PATIENCE_MS = 2_000;

/**
 * Whether the server with this password responds on this port. False while it starts or loads its data, and false when
 * another program's server responds there.
 */
export async function isRedisReady(port: number, password: string): Promise<boolean> {
  const socket = connect(port, LOOPBACK);
  socket.setTimeout(PATIENCE_MS, () => socket.destroy());
  socket.write(`AUTH ${password}\r\nPING\r\n`);
  try {
    let answer = '';
    for await (const chunk of socket) {
      answer += String(chunk);
      if (answer === '+OK\r\n+PONG\r\n') return true;
      if (answer.split('\r\n').some((line) => line.startsWith('-'))) return false;
    }
    return false;
  } catch (error) {
    if (hasCode(error, 'ECONNREFUSED', 'ECONNRESET', 'EPIPE')) return false;
    throw error;
  } finally {
    socket.destroy();
  }
}
