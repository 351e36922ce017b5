import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface NameServerRecord {
  readonly type: 'A' | 'AAAA' | 'CNAME';
  readonly ttl: number;
  /** An address, or the name that a CNAME points to. */
  readonly value: string;
}

/** The response about one type of a name: records, or a failure. */
export type NameServerResponse = readonly NameServerRecord[] | 'NXDOMAIN' | 'SERVFAIL' | 'silent';

export interface NameServer {
  /** `127.0.0.1:port`, in the form of node:dns. */
  readonly address: string;
  /** The questions so far, such as `A hooks.example.com`. */
  readonly questions: readonly string[];
  readonly stop: () => Promise<void>;
}

const typeNumbers = { A: 1, CNAME: 5, AAAA: 28 } as const;
const responseCodes = { NXDOMAIN: 3, SERVFAIL: 2 } as const;

/**
 * A DNS server on UDP with scripted responses.
 * @param delayOf the delay of the response about a name, in milliseconds; undefined: none.
 */
export async function startNameServer(
  answer: (type: 'A' | 'AAAA', name: string) => NameServerResponse,
  delayOf: (name: string) => number | undefined = () => undefined,
): Promise<NameServer> {
  let isStopped = false;
  const questions: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, client) => {
    const { name, type, end } = readQuestion(message);
    questions.push(`${type} ${name}`);
    const reply = answer(type, name);
    if (reply === 'silent') return;
    const delayMs = delayOf(name);
    const say = () => {
      if (!isStopped) socket.send(response(message, end, reply), client.port, client.address);
    };
    if (delayMs === undefined) say();
    else setTimeout(say, delayMs);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    stop: async () => {
      isStopped = true;
      socket.close();
      await once(socket, 'close');
    },
  };
}

function readQuestion(message: Buffer): { name: string; type: 'A' | 'AAAA'; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message.readUInt8(at); length > 0; length = message.readUInt8(at)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return {
    name: labels.join('.'),
    type: message.readUInt16BE(at + 1) === typeNumbers.AAAA ? 'AAAA' : 'A',
    end: at + 5,
  };
}

function response(message: Buffer, questionEnd: number, reply: Exclude<NameServerResponse, 'silent'>): Buffer {
  const records = typeof reply === 'string' ? [] : reply;
  const header = Buffer.from(message.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (typeof reply === 'string' ? responseCodes[reply] : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt32BE(0, 8);
  return Buffer.concat([header, message.subarray(12, questionEnd), ...records.map(encodeRecord)]);
}

function encodeRecord(record: NameServerRecord): Buffer {
  const data = encodeData(record);
  // The name of every record is the one of the question (a pointer to byte 12): c-ares does not require a chain of
  // names.
  const fixed = Buffer.from([0xc0, 12, 0, typeNumbers[record.type], 0, 1, 0, 0, 0, 0, 0, data.length]);
  fixed.writeUInt32BE(record.ttl, 6);
  return Buffer.concat([fixed, data]);
}

function encodeData({ type, value }: NameServerRecord): Buffer {
  if (type === 'A') return Buffer.from(value.split('.').map(Number));
  if (type === 'AAAA')
    return Buffer.from(value.split(':').flatMap((group) => [parseInt(group, 16) >> 8, parseInt(group, 16) & 255]));
  return Buffer.concat([
    ...value.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)])),
    Buffer.from([0]),
  ]);
}
