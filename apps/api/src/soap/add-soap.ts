import type { Express } from 'express';
import { LRUCache } from 'lru-cache';
import { send } from '../http/api-response.ts';
import { hostUrl } from '../http/server/host-url.ts';
import { noteForLog } from '../http/server/request-log.ts';
import type { SoapEntities } from './entities/soap-entities.ts';
import { serveSoap, type ServeSoapDeps } from './http/serve-soap.ts';
import { wsdlDocument } from './wsdl/wsdl.ts';

interface SoapAppDeps extends ServeSoapDeps {
  readonly entities: SoapEntities;
  /** The path of the description, such as `/atservices/1.6/atws.wsdl`. */
  readonly wsdlPath: string;
  /** Where clients reach the installation, without a slash at the end. */
  readonly publicUrl: string | undefined;
}

/** An installation has one address or two; more are tried out. */
const KEPT_DOCUMENTS = 8;

/** The SOAP API, version 1.6: its service and its description, which need no case in their paths. */
export function addSoap(app: Express, deps: SoapAppDeps): void {
  const { entities, publicUrl, servicePath, wsdlPath, allowedHosts } = deps;
  const documents = new LRUCache<string, string>({ max: KEPT_DOCUMENTS });
  const documentFor = (address: string) => {
    const document = documents.get(address) ?? wsdlDocument(entities.all, address);
    documents.set(address, document);
    return document;
  };
  const service = serveSoap(deps);
  app.all([servicePath, wsdlPath], async (request, response, next) => {
    const isDescription = request.path.toLowerCase() === wsdlPath.toLowerCase() || 'wsdl' in request.query;
    if (!isDescription || (request.method !== 'GET' && request.method !== 'HEAD')) {
      await service(request, response, next);
      return;
    }
    noteForLog(response, { route: wsdlPath });
    const base = publicUrl ?? hostUrl(request, allowedHosts) ?? '';
    const parts = [documentFor(base + servicePath)];
    send(response, { status: 200, body: undefined, parts, headers: { 'Content-Type': 'text/xml; charset=utf-8' } });
  });
}
