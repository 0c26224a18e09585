dotnet build
status 0
not recorded: there is no .NET here
