import type { DataDirectory } from './data-directory.ts';

const FILE = 'receiver-secrets.json';
/** The newest are kept: a developer's machine collects many over the years. */
const MOST = 100;

/** The secrets of the demo receiver, kept for the next start. */
export interface ReceiverSecrets {
  readonly known: readonly string[];
  readonly add: (secretKey: string) => Promise<void>;
}

/** A damaged file counts as none: the receiver asks for the secrets again. */
export async function receiverSecretsIn(directory: Pick<DataDirectory, 'read' | 'write'>): Promise<ReceiverSecrets> {
  const secrets = parse((await directory.read(FILE)) ?? '[]');
  let kept = secrets;
  let writing = Promise.resolve();
  return {
    known: secrets,
    add(secretKey) {
      kept = [...kept.filter((one) => one !== secretKey), secretKey].slice(-MOST);
      const text = `${JSON.stringify(kept)}\n`;
      // One after another: the file ends with the latest secrets.
      const written = writing.then(() => directory.write(FILE, text));
      writing = written.catch(() => undefined);
      return written;
    },
  };
}

function parse(text: string): readonly string[] {
  try {
    const secrets: unknown = JSON.parse(text);
    return Array.isArray(secrets) ? secrets.filter((one) => typeof one === 'string' && one !== '') : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}
