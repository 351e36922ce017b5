import { describe, expect, it } from '@jest/globals';
import { judgeHost, type Resolve } from '@callout/outbound/guard';
import { resolvesTo } from '../sender.fixture.ts';

const publicOnly = { allowCidrs: [] };
const judge = (resolve: Resolve, hostname = 'hooks.example.com') => judgeHost(hostname, publicOnly, resolve);

function failsWith(code: string): Resolve {
  return () => Promise.reject(Object.assign(new Error('query failed'), { code }));
}

function countUp(count: number, make: (nth: number) => string): string[] {
  return Array.from({ length: count }, (_, nth) => make(nth));
}

describe('judgeHost', () => {
  it('allows a name whose every address is public', async () => {
    expect(await judge(resolvesTo('8.8.8.8', '2606:4700:0::1111'))).toEqual({
      kind: 'allowed',
      addresses: ['8.8.8.8', '2606:4700::1111'],
    });
  });

  it.each([
    ['only a private address', ['10.0.0.1'], '10.0.0.1'],
    ['a public and a private address', ['8.8.8.8', '192.168.0.1'], '192.168.0.1'],
    ['a private and a public address', ['127.0.0.1', '8.8.8.8'], '127.0.0.1'],
    ['a public A and a private AAAA record', ['8.8.8.8', 'fd00::1'], 'fd00::1'],
    ['a public A and a mapped loopback AAAA record', ['8.8.8.8', '::ffff:7f00:1'], '::ffff:7f00:1'],
    ['a public and the metadata address', ['8.8.8.8', '169.254.169.254'], '169.254.169.254'],
    ['a hundred addresses, the last one private', [...countUp(99, (nth) => `8.8.4.${nth}`), '10.9.9.9'], '10.9.9.9'],
    ['something that is no address', ['8.8.8.8', 'evil.example.com'], 'evil.example.com'],
  ])(
    'refuses a name with %s, with one message for the operator and another for the owner',
    async (_what, answers, refused) => {
      expect(await judge(resolvesTo(...answers))).toEqual({
        kind: 'refused',
        failure: {
          reason: 'addressForbidden',
          message:
            'hooks.example.com resolves to an address that callouts may not reach, such as a private one. Use a public address, or ask the operator to add its range to CALLOUT_ALLOW_CIDRS.',
        },
        refusal: { hostname: 'hooks.example.com', address: refused, why: expect.stringMatching(/^is /u) },
      });
    },
  );

  it('tries a few of a hundred public addresses', async () => {
    const judgement = await judge(resolvesTo(...countUp(100, (nth) => `8.8.4.${nth}`)));
    expect(judgement).toMatchObject({ kind: 'allowed', addresses: countUp(8, (nth) => `8.8.4.${nth}`) });
  });

  it.each([
    ['ENOTFOUND', 'hooks.example.com does not exist in DNS. '],
    ['ENODATA', 'hooks.example.com has no address in DNS. '],
    ['ESERVFAIL', 'hooks.example.com could not be resolved: the name servers failed. '],
    ['ETIMEOUT', 'hooks.example.com could not be resolved: the name servers did not answer in time. '],
    ['EBADRESP', 'hooks.example.com could not be resolved (EBADRESP). '],
  ])('reports that DNS failed with %s', async (code, message) => {
    expect(await judge(failsWith(code))).toMatchObject({
      kind: 'refused',
      failure: { reason: 'dnsFailed', message: expect.stringContaining(message) },
    });
  });

  it('refuses a name with an empty answer', async () => {
    expect(await judge(resolvesTo())).toMatchObject({
      failure: {
        reason: 'dnsFailed',
        message: expect.stringMatching(/^hooks\.example\.com has no address in DNS\. /u),
      },
    });
  });
});
