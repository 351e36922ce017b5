import type { Express } from 'express';
import { isDatabaseAway } from '@callout/db/connection';
import { createFailureAnswer } from '../http/errors/failure.ts';
import type { ServeDeps } from '../http/route/serve.ts';
import type { Route } from '../http/route/route-table.ts';
import type { FindZone } from '../service/find-zone.ts';
import { addSoap } from '../soap/add-soap.ts';
import { createSoapEntities } from '../soap/entities/soap-entities.ts';
import type { SoapSignInDeps } from '../soap/http/sign-in.ts';
import { createOperations } from '../soap/operations/operations.ts';
import { createRestEndpoints } from '../soap/rest-calls.ts';
import type { ApiContext } from './context.ts';

/** The SOAP API over the routes of the REST API; undefined where it is switched off. */
export function wireSoap(
  { catalogue, config, log }: ApiContext,
  serving: ServeDeps & SoapSignInDeps,
  findZone: FindZone,
): ((app: Express, routes: readonly Route[]) => void) | undefined {
  if (config.SOAP === 'off') return undefined;
  const entities = createSoapEntities(catalogue);
  const folder = `/${config.SOAP_ROOT}/1.6`;
  const failureAnswer = createFailureAnswer({ log, isDatabaseAway });
  return (app, routes) => {
    const endpoints = createRestEndpoints(routes);
    addSoap(app, {
      ...serving,
      entities,
      endpoints,
      operations: createOperations({ entities, endpoints, requestLimit: serving.requestLimit }),
      findZone,
      failureAnswer,
      servicePath: `${folder}/atws.asmx`,
      wsdlPath: `${folder}/atws.wsdl`,
      maxBodyBytes: config.MAX_BODY_BYTES,
      publicUrl: config.PUBLIC_URL,
    });
  };
}
