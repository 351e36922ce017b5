# A receiver of callouts in Ruby 3.0 or later, with WEBrick.
#
#     gem install webrick
#     SECRET_KEY='a secret of mine' ruby receiver.rb
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

# Whether Ed25519 made a signature with the private key of the public key in SECRET_KEY.
def signed_by_key?(given, signed)
  return false unless given.start_with?('v1a,')

  head = ['302a300506032b6570032100'].pack('H*') # RFC 8410
  key = OpenSSL::PKey.read(head + SECRET.delete_prefix('whpk_').unpack1('m0'))
  key.verify(nil, given.delete_prefix('v1a,').unpack1('m0'), signed)
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

# The ids of the last callouts. With several processes, keep them in your database, beside what you store.
class Seen
  def initialize(size = 100_000)
    @ids = {}
    @size = size
    @lock = Mutex.new
  end

  # Says whether the id is new.
  def add?(id)
    @lock.synchronize do
      next false if @ids.key?(id)

      @ids[id] = true
      @ids.shift if @ids.size > @size
      true
    end
  end

  def forget(id)
    @lock.synchronize { @ids.delete(id) }
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
  return 400 unless request['content-length'].to_s.match?(/\A\d*\z/)

  # What is too large is read, and thrown away: with unread bytes the connection is reset, and nobody sees the answer.
  body = String.new
  request.body { |chunk| body << chunk if body.bytesize <= MAX_BODY_BYTES }
  return 413 if body.bytesize > MAX_BODY_BYTES
  return 401 unless genuine?(request, body)

  callout = read(body)
  return 400 if callout.nil?

  id = request['webhook-id'].to_s
  is_test = callout['SequenceNumber'].zero?
  return 200 if is_test || !SEEN.add?(id)

  begin
    handle(callout)
    200
  rescue StandardError => e
    SEEN.forget(id) # Callout sends it again, and then it is to be handled
    warn e.full_message
    500
  end
end

abort 'Set SECRET_KEY to the secretKey of the webhook.' if SECRET.empty?

port = Integer(ENV.fetch('PORT', '8091'))
server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: port, AccessLog: [])
server.mount_proc('/') { |request, response| response.status = receive(request) }
trap('INT') { server.shutdown }
trap('TERM') { server.shutdown }
server.start
