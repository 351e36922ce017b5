import type { FindZone } from '../../service/find-zone.ts';
import type { PublicCall } from '../../http/route/endpoint.ts';
import { childText, type XmlElement } from '../xml/xml-element.ts';
import { xml, type XmlNode } from '../xml/write-xml.ts';

/** `getZoneInfo`: the address under which a user reaches this API, by the rule of `zoneInformation`. */
export async function zoneInfo(
  { findZone, servicePath }: { readonly findZone: FindZone; readonly servicePath: string },
  element: XmlElement,
  caller: Pick<PublicCall, 'address' | 'hostUrl'>,
): Promise<XmlNode[]> {
  const { base, id, webUrl } = await findZone(childText(element, 'UserName') ?? '', 'UserName', caller);
  return [
    xml('URL', {}, base + servicePath),
    xml('ErrorCode', {}, '0'),
    xml('DataBaseType'),
    xml('CI', {}, String(id)),
    xml('WebUrl', {}, webUrl),
  ];
}
