// A receiver of callouts in C#, with ASP.NET Core 8 alone.
//
//     SECRET_KEY='whsec_Y2FsbG91dC1leGFtcGxlLXNlY3JldC0zMi1ieXRlcyE=' dotnet run
//
// It listens on 127.0.0.1, at PORT or 8091. SIGNATURE=x-hook-signature checks that header instead of webhook-signature.
using System.Globalization;
using System.Security.Cryptography;
using System.Text;
using System.Text.Json;

const long ToleranceSeconds = 300;
const int MaxBodyBytes = 4 * 1024 * 1024;

var secret = Environment.GetEnvironmentVariable("SECRET_KEY");
if (string.IsNullOrEmpty(secret))
{
    Console.Error.WriteLine("Set SECRET_KEY to the secretKey of the webhook.");
    return 1;
}
if (secret.StartsWith("whpk_", StringComparison.Ordinal))
{
    // A public key is never the key of an HMAC: anyone could sign with it. .NET has no Ed25519 of its own.
    Console.Error.WriteLine("A public key needs a package for Ed25519, such as NSec.Cryptography. Set SECRET_KEY to the secretKey.");
    return 1;
}
var checksHookSignature = Environment.GetEnvironmentVariable("SIGNATURE") == "x-hook-signature";

var seen = new Seen();

var builder = WebApplication.CreateBuilder(args);
builder.WebHost.ConfigureKestrel(options => options.Limits.MaxRequestBodySize = MaxBodyBytes);
var app = builder.Build();

app.MapPost("/{**path}", async (HttpRequest request) =>
{
    // The signature is that of the bytes as they came: check it before anything parses them.
    using var buffer = new MemoryStream();
    try
    {
        await request.Body.CopyToAsync(buffer);
    }
    catch (BadHttpRequestException failure)
    {
        return Results.StatusCode(failure.StatusCode); // 413 where it is too large, 400 where it is broken
    }
    var body = buffer.ToArray();
    if (!IsGenuine(request.Headers, body)) return Results.Unauthorized();

    if (!TryRead(body, out var callout, out var isTest)) return Results.BadRequest();
    if (isTest) return Results.Ok();
    // X-Hook-Signature does not sign the webhook-id: there, the same signature is the same callout.
    var id = request.Headers[checksHookSignature ? "X-Hook-Signature" : "webhook-id"].ToString();
    switch (seen.Begin(id))
    {
        case State.Handled:
            return Results.Ok();
        case State.Running:
            // Not 200: if handling it fails, Callout has to send it again. No Retry-After: the waits of Callout grow.
            return Results.StatusCode(503);
    }
    var isHandled = false;
    try
    {
        Handle(callout);
        isHandled = true;
    }
    catch (Exception failure)
    {
        Console.Error.WriteLine(failure);
    }
    finally
    {
        seen.End(id, isHandled);
    }
    return Results.StatusCode(isHandled ? 200 : 500);
});

app.Run($"http://127.0.0.1:{Environment.GetEnvironmentVariable("PORT") ?? "8091"}");
return 0;

// Your work. Callout waits 10 s: store the callout or put it into a queue, and return.
static void Handle(JsonElement callout)
{
    Console.WriteLine(
        $"{callout.GetProperty("Action")} {callout.GetProperty("EntityType")} {callout.GetProperty("Id")} " +
        callout.GetProperty("Fields").GetRawText());
}

// A test has the SequenceNumber 0.
static bool TryRead(byte[] body, out JsonElement callout, out bool isTest)
{
    (callout, isTest) = (default, false);
    try
    {
        callout = JsonSerializer.Deserialize<JsonElement>(body);
    }
    catch (JsonException)
    {
        return false;
    }
    if (callout.ValueKind != JsonValueKind.Object || !callout.TryGetProperty("SequenceNumber", out var number)) return false;
    if (number.ValueKind != JsonValueKind.Number || !number.TryGetInt64(out var value)) return false;
    isTest = value == 0;
    return true;
}

bool IsGenuine(IHeaderDictionary headers, byte[] body)
{
    if (checksHookSignature)
    {
        var hookMac = HMACSHA1.HashData(Encoding.UTF8.GetBytes(secret), body);
        return IsEqual(headers["X-Hook-Signature"].ToString(), "sha1=" + Convert.ToBase64String(hookMac));
    }
    var timestamp = headers["webhook-timestamp"].ToString();
    // Digits alone, and few: the difference of any two numbers could overflow.
    if (timestamp.Length > 12) return false;
    if (!long.TryParse(timestamp, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds)) return false;
    if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - seconds) > ToleranceSeconds) return false;
    byte[] signed = [.. Encoding.UTF8.GetBytes($"{headers["webhook-id"]}.{timestamp}."), .. body];
    var expected = "v1," + Convert.ToBase64String(HMACSHA256.HashData(StandardKey(secret), signed));
    // Two signatures while the secret is being rotated.
    return headers["webhook-signature"].ToString().Split(' ').Take(10).Any(given => IsEqual(given, expected));
}

// What follows whsec_ is a key in base64; any other secret is its own key.
static byte[] StandardKey(string secret)
{
    if (secret.StartsWith("whsec_", StringComparison.Ordinal) && secret.Length > 6)
    {
        var key = new byte[secret.Length];
        if (Convert.TryFromBase64String(secret[6..], key, out var length)) return key[..length];
    }
    return Encoding.UTF8.GetBytes(secret);
}

static bool IsEqual(string given, string expected) =>
    CryptographicOperations.FixedTimeEquals(Encoding.UTF8.GetBytes(given), Encoding.UTF8.GetBytes(expected));

enum State { New, Running, Handled }

// The ids of the callouts that are being handled, and of the last that were handled. With several processes, keep them in
// your database, beside what you store.
sealed class Seen
{
    private const int Size = 100_000;
    private readonly object gate = new();
    private readonly HashSet<string> running = [];
    private readonly HashSet<string> handled = [];
    private readonly Queue<string> oldest = new();

    // Says what is known of an id. Only what is new may be handled.
    public State Begin(string id)
    {
        lock (gate)
        {
            if (handled.Contains(id)) return State.Handled;
            return running.Add(id) ? State.New : State.Running;
        }
    }

    // Forgets a callout that was not handled: Callout sends it again, and then it is new.
    public void End(string id, bool isHandled)
    {
        lock (gate)
        {
            running.Remove(id);
            if (!isHandled) return;
            handled.Add(id);
            oldest.Enqueue(id);
            if (oldest.Count > Size) handled.Remove(oldest.Dequeue());
        }
    }
}
