import type { Express } from 'express';
import { LRUCache } from 'lru-cache';
import type { ApiContext } from '../api-context.ts';
import { send } from '../http/api-response.ts';
import { createFailureResponse } from '../http/failure.ts';
import type { Route } from '../http/route/route-table.ts';
import { hostUrl } from '../http/server/base-url.ts';
import { noteForLog } from '../http/server/request-log.ts';
import { createSoapEntities } from './entities/soap-entities.ts';
import { serveSoap, type SoapServing } from './http/serve-soap.ts';
import { createOperations } from './operations/operations.ts';
import { createRestEndpoints } from './rest-calls.ts';
import { wsdlDocument } from './wsdl/wsdl.ts';

/** An installation has one address or two; more are tried out. */
const KEPT_DOCUMENTS = 8;

/**
 * The SOAP API, version 1.6, over the routes of the REST API: the service and the description, with paths in any case.
 */
export function addSoap(app: Express, routes: readonly Route[], api: ApiContext, serving: SoapServing): void {
  const { catalogue, config, log } = api;
  const entities = createSoapEntities(catalogue);
  const endpoints = createRestEndpoints(routes);
  const servicePath = `/atservices/1.6/atws.asmx`;
  const wsdlPath = `/atservices/1.6/atws.wsdl`;
  const documents = new LRUCache<string, string>({ max: KEPT_DOCUMENTS });
  const documentFor = (address: string) => {
    const document = documents.get(address) ?? wsdlDocument(entities.all, address);
    documents.set(address, document);
    return document;
  };
  const service = serveSoap({
    ...serving,
    endpoints,
    operations: createOperations({ entities, endpoints, requestLimit: serving.requestLimit }),
    failureResponse: createFailureResponse(log),
    servicePath,
    maxBodyBytes: config.MAX_BODY_BYTES,
  });
  app.all([servicePath, wsdlPath], async (request, response, next) => {
    const isDescription = request.path.toLowerCase() === wsdlPath.toLowerCase() || 'wsdl' in request.query;
    if (!isDescription || (request.method !== 'GET' && request.method !== 'HEAD')) {
      await service(request, response, next);
      return;
    }
    noteForLog(response, { route: wsdlPath });
    const base = config.PUBLIC_URL ?? hostUrl(request, serving.allowedHosts) ?? '';
    const parts = [documentFor(base + servicePath)];
    send(response, { status: 200, body: undefined, parts, headers: { 'Content-Type': 'text/xml; charset=utf-8' } });
  });
}
