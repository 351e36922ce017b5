import type { Express } from 'express';
import { createFailureResponse } from '../http/errors/failure.ts';
import type { ServeDeps } from '../http/route/serve.ts';
import type { Route } from '../http/route/route-table.ts';
import type { FindZone } from '../rest/service/find-zone.ts';
import { addSoap } from '../soap/add-soap.ts';
import { createSoapEntities } from '../soap/entities/soap-entities.ts';
import type { SoapAuthenticationDeps } from '../soap/http/authenticate-soap.ts';
import { createOperations } from '../soap/operations/operations.ts';
import { createRestEndpoints } from '../soap/rest-calls.ts';
import type { ApiContext } from '../api-context.ts';

/** The SOAP API over the routes of the REST API. */
export function wireSoap(
  app: Express,
  routes: readonly Route[],
  { catalogue, config, log }: ApiContext,
  serving: ServeDeps & SoapAuthenticationDeps & { readonly findZone: FindZone },
): void {
  const entities = createSoapEntities(catalogue);
  const folder = `/${config.SOAP_ROOT}/1.6`;
  const endpoints = createRestEndpoints(routes);
  addSoap(app, {
    ...serving,
    entities,
    endpoints,
    operations: createOperations({ entities, endpoints, requestLimit: serving.requestLimit }),
    failureResponse: createFailureResponse(log),
    servicePath: `${folder}/atws.asmx`,
    wsdlPath: `${folder}/atws.wsdl`,
    maxBodyBytes: config.MAX_BODY_BYTES,
    publicUrl: config.PUBLIC_URL,
  });
}
