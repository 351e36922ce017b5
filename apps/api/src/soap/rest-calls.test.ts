import { expect, it } from '@jest/globals';
import type { Call, Endpoint } from '../http/route/endpoint.ts';
import { createRestEndpoints } from './rest-calls.ts';

it('an endpoint that is called gets the trace of the SOAP request', async () => {
  const calls: Call[] = [];
  const traceParent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  const caller = { tenantId: 1, role: 'admin' } as unknown as Call['caller'];
  const handle = async (call: Call) => {
    calls.push(call);
    return { status: 200, body: {} };
  };
  const endpoint = { roles: ['admin'], handle } as unknown as Endpoint;
  const endpoints = createRestEndpoints([{ path: '/Things', methods: { POST: endpoint } }]);
  await endpoints.callsOf({ caller, hostUrl: undefined, traceParent }).call('POST', '/Things', { body: {} });
  expect(calls.map((call) => call.traceParent)).toEqual([traceParent]);
});
