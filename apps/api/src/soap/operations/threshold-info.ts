import { xml } from '../xml/write-xml.ts';
import { atwsResponse, returnInfo } from './atws-response.ts';
import type { Operation } from './soap-call.ts';

interface Thresholds {
  readonly externalRequestThreshold: number;
  readonly requestThresholdTimeframe: number;
  readonly currentTimeframeRequestCount: number;
}

/**
 * `getThresholdAndUsageInfo`: the values of `ThresholdInformation`, in the one sentence in which clients of this API
 * look for them.
 */
export const thresholdInfo: Operation = {
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
