# A receiver of callouts in Ruby 3.0 or later, with WEBrick.
#
#     gem install webrick
#     SECRET_KEY='whsec_Y2FsbG91dC1leGFtcGxlLXNlY3JldC0zMi1ieXRlcyE=' ruby receiver.rb
#
# SECRET_KEY may also be the signingPublicKey of the webhook, whpk_...
# It listens on 127.0.0.1, at PORT or 8091. SIGNATURE=x-hook-signature checks that header instead of webhook-signature.

require 'json'
require 'openssl'
require 'webrick'

SECRET = ENV.fetch('SECRET_KEY', '')
CHECKS_HOOK_SIGNATURE = ENV['SIGNATURE'] == 'x-hook-signature'
TOLERANCE_SECONDS = 300
MAX_BODY_BYTES = 4 * 1024 * 1024

# What follows whsec_ is a key in base64; any other secret is its own key.
def standard_key(secret)
  encoded = secret.delete_prefix('whsec_')
  return secret if encoded == secret || encoded.empty?

  encoded.unpack1('m0')
rescue ArgumentError
  secret
end

def sign(digest, key, text)
  [OpenSSL::HMAC.digest(digest, key, text)].pack('m0')
end

# The key in a signingPublicKey. Returns nil if it has none.
def public_key(text)
  head = ['302a300506032b6570032100'].pack('H*') # RFC 8410
  OpenSSL::PKey.read(head + text.delete_prefix('whpk_').unpack1('m0'))
rescue ArgumentError, OpenSSL::PKey::PKeyError
  nil
end

# Whether Ed25519 made a signature with the private key of the public key in SECRET_KEY.
def signed_by_key?(given, signed)
  return false unless given.start_with?('v1a,')

  public_key(SECRET).verify(nil, given.delete_prefix('v1a,').unpack1('m0'), signed)
rescue ArgumentError, OpenSSL::PKey::PKeyError
  false
end

# The signature is that of the bytes as they came: check it before anything parses them.
def genuine?(request, body)
  if CHECKS_HOOK_SIGNATURE
    return OpenSSL.secure_compare(request['x-hook-signature'].to_s, "sha1=#{sign('SHA1', SECRET, body)}")
  end

  timestamp = request['webhook-timestamp'].to_s
  return false unless timestamp.match?(/\A\d{1,12}\z/) && (Time.now.to_i - timestamp.to_i).abs <= TOLERANCE_SECONDS

  signed = "#{request['webhook-id']}.#{timestamp}.".b + body
  all = request['webhook-signature'].to_s.split.first(10)
  # A public key is never the key of an HMAC: anyone could sign with it.
  return all.any? { |given| signed_by_key?(given, signed) } if SECRET.start_with?('whpk_')

  expected = "v1,#{sign('SHA256', standard_key(SECRET), signed)}"
  # Two signatures while the secret is being rotated.
  all.any? { |given| OpenSSL.secure_compare(given, expected) }
end

# The ids of the callouts that are being handled, and of the last that were handled. With several processes, keep them in
# your database, beside what you store.
class Seen
  def initialize(size = 100_000)
    @running = {}
    @handled = {}
    @size = size
    @lock = Mutex.new
  end

  # Returns :new, :running or :handled. Only what is new may be handled.
  def begin(id)
    @lock.synchronize do
      next :handled if @handled.key?(id)
      next :running if @running.key?(id)

      @running[id] = true
      :new
    end
  end

  # Forgets a callout that was not handled: Callout sends it again, and then it is new.
  def end(id, is_handled)
    @lock.synchronize do
      @running.delete(id)
      @handled[id] = true if is_handled
      @handled.shift if @handled.size > @size
    end
  end
end

SEEN = Seen.new

# Your work. Callout waits 10 s: store the callout or put it into a queue, and return.
def handle(callout)
  puts "#{callout['Action']} #{callout['EntityType']} #{callout['Id']} #{JSON.generate(callout['Fields'])}"
  $stdout.flush
end

# Returns nil for what is not the body of a callout.
def read(body)
  callout = JSON.parse(body)
  callout if callout.is_a?(Hash) && callout['SequenceNumber'].is_a?(Integer)
rescue JSON::ParserError
  nil
end

def receive(request)
  return 405 unless request.request_method == 'POST'
  # Old versions of WEBrick read any text as a length.
  return 400 unless request['content-length'].to_s.match?(/\A\d{0,12}\z/)

  body = read_body(request)
  return 413 if body.nil?
  return 401 unless genuine?(request, body)

  callout = read(body)
  return 400 if callout.nil?
  return 200 if callout['SequenceNumber'].zero? # a test

  # X-Hook-Signature does not sign the webhook-id: there, the same signature is the same callout.
  handle_once(request[CHECKS_HOOK_SIGNATURE ? 'x-hook-signature' : 'webhook-id'].to_s, callout)
end

# Returns nil for a body that is too large.
def read_body(request)
  body = String.new
  length = 0
  # With unread bytes the connection is reset, and the sender never sees the answer: read on, but not for ever.
  request.body do |chunk|
    length += chunk.bytesize
    body << chunk if length <= MAX_BODY_BYTES
    break if length > 4 * MAX_BODY_BYTES
  end
  body if length <= MAX_BODY_BYTES
end

# Returns the status to answer with.
def handle_once(id, callout)
  state = SEEN.begin(id)
  # Not 200: if handling it fails, Callout has to send it again. No Retry-After: the waits of Callout grow.
  return 503 if state == :running
  return 200 if state == :handled

  is_handled = false
  begin
    handle(callout)
    is_handled = true
  rescue StandardError, ScriptError => e
    warn e.full_message
  ensure
    SEEN.end(id, is_handled)
  end
  is_handled ? 200 : 500
end

abort 'Set SECRET_KEY to the secretKey of the webhook.' if SECRET.empty?

if SECRET.start_with?('whpk_') && public_key(SECRET).nil?
  abort 'SECRET_KEY begins with whpk_ but is not a public key: copy the signingPublicKey of the webhook.'
end

port = Integer(ENV.fetch('PORT', '8091'))
server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: port, AccessLog: [])
server.mount_proc('/') do |request, response|
  response.status = receive(request)
  response.keep_alive = false if [400, 413].include?(response.status) # what is left of the body is not read
end
trap('INT') { server.shutdown }
trap('TERM') { server.shutdown }
server.start
