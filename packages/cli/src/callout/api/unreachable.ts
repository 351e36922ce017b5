/** The API did not respond. The message has the reason, and a hint. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  constructor(url: string, cause: unknown) {
    const { host } = new URL(url);
    super(sentenceOf(host, codeOf(cause)), { cause });
  }
}

export function codeOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? String(error);
}

function sentenceOf(host: string, code: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `Nothing listens at ${host}. Is Callout running there? \`npm start\` starts one on this machine; \`callout whoami\` shows which address is used.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} has no address in DNS: check the URL that you signed in with (\`callout login\`), and your network.`;
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return `${host} closed the connection before it answered. Try again; if that does not help, check the URL and the proxies in between.`;
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `${host} did not answer in time: check the URL, your network and its firewalls.`;
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'EPROTO':
      return `${host} does not speak TLS on this port: should the URL begin with http instead of https?`;
    default:
      return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY/u.test(code)
        ? `The certificate of ${host} is not accepted (${code}). For an authority of your own, set NODE_EXTRA_CA_CERTS to its certificate.`
        : `${host} could not be reached (${code}).`;
  }
}
