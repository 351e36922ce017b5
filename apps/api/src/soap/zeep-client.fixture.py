"""Calls every operation of the SOAP API with zeep, which knows nothing but its WSDL. Prints what it saw as JSON."""

import json
import sys

import requests
import zeep
from zeep.helpers import serialize_object
from zeep.transports import Transport

wsdl, user, secret, code = sys.argv[1:]
session = requests.Session()
session.auth = (user, secret)
client = zeep.Client(wsdl, transport=Transport(session=session))
integrations = client.get_element("ns0:AutotaskIntegrations")(IntegrationCode=code)
client.set_default_soapheaders([integrations])
array = client.get_type("ns0:ArrayOfEntity")
service = client.service


def entities(result):
    return [] if result.EntityResults is None else result.EntityResults.Entity


def errors(result):
    return [] if result.Errors is None else [one.Message for one in result.Errors.ATWSError]


def make(name, **fields):
    return client.get_type(f"ns0:{name}")(**fields)


def query(entity, conditions=""):
    return service.query(f"<queryxml><entity>{entity}</entity><query>{conditions}</query></queryxml>")


seen = {"version": service.GetWsdlVersion()}
webhook = dict(
    id=0,
    Active=False,
    Name="made by zeep <&>",
    WebhookUrl="http://127.0.0.1:9999/in",
    DeactivationUrl="http://127.0.0.1:9999/off",
    SecretKey="a shared secret",
    IsSubscribedToUpdateEvents=True,
)
created = service.create(
    array([make("AccountWebhook", **webhook), make("TicketWebhook", **{**webhook, "Name": "x" * 51})])
)
seen["created"] = [created.ReturnCode, len(entities(created)), errors(created)]
own = entities(created)[0]
field = service.create(array([make("AccountWebhookField", id=0, WebhookID=own.id, FieldID=2, IsSubscribedField=True)]))
seen["field"] = [field.ReturnCode, entities(field)[0].IsSubscribedField]
own.Name = "changed by zeep"
updated = service.update(array([own]))
seen["updated"] = [updated.ReturnCode, errors(updated), entities(updated)[0].Name]
found = query("AccountWebhook", f'<field>id<expression op="equals">{own.id}</expression></field>')
seen["found"] = [[type(one).__name__, one.Name, one.Active, one.OwnerResourceID] for one in entities(found)]
deleted = service.delete(array([make("AccountWebhook", id=own.id)]))
seen["deleted"] = [deleted.ReturnCode, [one.id for one in entities(deleted)]]
# What zeep makes of an element that holds nothing but one list is that list.
seen["fields"] = [one.Name for one in service.GetFieldInfo("AccountWebhookExcludedResource")]
seen["udfs"] = serialize_object(service.getUDFInfo("Account"))
seen["entities"] = len(service.getEntityInfo())
usage = service.getThresholdAndUsageInfo()
seen["usage"] = usage.EntityReturnInfoResults.EntityReturnInfo[0].Message
seen["zone"] = service.getZoneInfo(user).ErrorCode
seen["soap12"] = client.bind("ATWS", "ATWSSoap12").GetWsdlVersion()
try:
    service.GetFieldInfo("Invoice")
except zeep.exceptions.Fault as fault:
    seen["fault"] = fault.message
print(json.dumps(seen))
