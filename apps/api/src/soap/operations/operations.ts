import type { RequestLimit } from '../../http/limits/request-limit.ts';
import type { SoapEntities } from '../entities/soap-entities.ts';
import type { RestEndpoints } from '../rest-calls.ts';
import type { soapOperations } from '../wsdl/operations.ts';
import { createCreate, createDelete, createUpdate } from './create-update-delete.ts';
import { createEntityInfo, createFieldInfo, createUdfInfo } from './metadata.ts';
import { createQuery } from './query.ts';
import type { Operation } from './soap-call.ts';
import { xml } from '../xml/write-xml.ts';
import { atwsResponse, returnInfo } from './atws-response.ts';

type OperationName = Exclude<(typeof soapOperations)[number]['name'], 'getZoneInfo'>;

/** The operations with credentials, by name. */
export type Operations = Readonly<Record<OperationName, Operation>>;

interface OperationDeps {
  readonly entities: SoapEntities;
  readonly endpoints: RestEndpoints;
  readonly requestLimit: RequestLimit;
}

const WSDL_VERSION = '1.6';

export function createOperations(deps: OperationDeps): Operations {
  const { entities, endpoints } = deps;
  return {
    query: createQuery(entities),
    create: createCreate(deps),
    update: createUpdate(deps),
    delete: createDelete(deps),
    GetFieldInfo: createFieldInfo(entities),
    getUDFInfo: createUdfInfo(entities),
    getEntityInfo: createEntityInfo(entities, endpoints),
    getThresholdAndUsageInfo: thresholdInfo,
    GetWsdlVersion: { isRead: true, run: async () => [WSDL_VERSION] },
  };
}

interface Thresholds {
  readonly externalRequestThreshold: number;
  readonly requestThresholdTimeframe: number;
  readonly currentTimeframeRequestCount: number;
}

/**
 * `getThresholdAndUsageInfo`: the values of `ThresholdInformation`, in the sentence in which clients of the API look
 * for the values.
 */
const thresholdInfo: Operation = {
  isRead: true,
  async run({ rest }) {
    const info = (await rest.call('GET', '/ThresholdInformation')) as Thresholds;
    const message =
      `ThresholdOfExternalRequest: ${info.externalRequestThreshold}; ` +
      `TimeframeOfLimitation: ${info.requestThresholdTimeframe}; ` +
      `numberOfExternalRequest: ${info.currentTimeframeRequestCount};`;
    const about = returnInfo({ id: 0, action: 'None', message });
    return atwsResponse({}).map((node) => {
      return node.name === 'EntityReturnInfoResults' ? xml('EntityReturnInfoResults', {}, about) : node;
    });
  },
};
