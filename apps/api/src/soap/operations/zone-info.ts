import type { FindZone } from '../../rest/service/find-zone.ts';
import type { PublicCall } from '../../http/route/endpoint.ts';
import { childText, type XmlElement } from '../xml/xml-element.ts';
import { xml, type XmlNode } from '../xml/write-xml.ts';

/** `getZoneInfo`: the address under which a user reaches this API, by the rule of `zoneInformation`. */
export async function zoneInfo(
  { findZone, servicePath }: { readonly findZone: FindZone; readonly servicePath: string },
  element: XmlElement,
  caller: Pick<PublicCall, 'address' | 'hostUrl'>,
): Promise<XmlNode[]> {
  const zone = await findZone(childText(element, 'UserName') ?? '', 'UserName', caller);
  return [
    // Empty for an unknown user whose zone is hidden: clients of the family read nothing else.
    xml('URL', {}, zone === null ? '' : zone.base + servicePath),
    xml('ErrorCode', {}, '0'),
    xml('DataBaseType'),
    xml('CI', {}, String(zone?.id ?? 0)),
    xml('WebUrl', {}, zone?.webUrl ?? ''),
  ];
}
